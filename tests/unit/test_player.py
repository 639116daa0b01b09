"""Going back and forth in a recording while it plays."""

from kvtrace.marks import Marks
from kvtrace.playback import MAX, Playback
from kvtrace.player import Player
from kvtrace.seeking import By, Named, Position, Share, Step
from kvtrace.snapshot import Snapshot
from tests.unit.moments import SECOND, START, moment, record
from tests.unit.replays import BUSY, Clock, player

FOUR = [moment(second, record(seq=second + 1)) for second in range(4)]


def first(made: Player) -> Snapshot:
    return next(iter(made.snapshots()))


def after(made: Player, playback: Playback) -> tuple[int, int]:
    """Where one stands, and how many events are known there."""
    found = first(made)
    return playback.position, found.events


def test_what_is_due_is_known() -> None:
    clock = Clock()
    made, playback = player(FOUR, now=clock)
    clock.now = 2 * SECOND
    assert after(made, playback) == (2 * SECOND, 3)


def test_at_the_end_it_stands_and_says_so() -> None:
    clock = Clock()
    made, playback = player(FOUR, now=clock)
    clock.now = 99 * SECOND
    assert after(made, playback) == (3 * SECOND, 4)
    assert playback.over


def test_at_the_end_time_stands_still_until_one_goes_elsewhere() -> None:
    clock = Clock()
    made, playback = player(FOUR, now=clock)
    clock.now = 99 * SECOND
    first(made)
    clock.now += 99 * SECOND
    playback.faster()
    assert after(made, playback) == (3 * SECOND, 4)
    playback.pause()
    playback.resume()
    clock.now += 99 * SECOND
    assert first(made).at == START + 3 * SECOND
    playback.slower()
    playback.go(By(-SECOND))
    assert after(made, playback)[0] == 2 * SECOND


def test_one_can_go_back_from_the_end_and_it_plays_on() -> None:
    clock = Clock()
    made, playback = player(FOUR, now=clock)
    clock.now = 99 * SECOND
    first(made)
    playback.go(Position(SECOND))
    assert after(made, playback) == (SECOND, 2)
    assert not playback.over
    clock.now += SECOND
    assert after(made, playback) == (2 * SECOND, 3)


def test_while_it_is_paused_one_goes_and_stays_there() -> None:
    clock = Clock()
    made, playback = player(FOUR, now=clock)
    playback.pause()
    playback.go(Share(0.5))
    clock.now = 50 * SECOND
    assert after(made, playback) == (3 * SECOND // 2, 2)
    playback.go(By(-SECOND))
    assert after(made, playback) == (SECOND // 2, 1)


def test_one_steps_event_by_event_and_it_pauses() -> None:
    clock = Clock()
    made, playback = player(FOUR, now=clock)
    first(made)
    steps = []
    for by in (1, 1, -1, 1, 1, 1, -1, -1, -1, -1):
        playback.go(Step(by))
        steps.append(after(made, playback))
    assert playback.paused
    assert [events for _, events in steps] == [2, 3, 2, 3, 4, 4, 3, 2, 1, 0]
    assert steps[1] == (2 * SECOND, 3)


def test_from_between_two_events_a_step_back_goes_to_the_one_before() -> None:
    made, playback = player(FOUR)
    playback.pause()
    playback.go(Position(SECOND + 5))
    first(made)
    playback.go(Step(-1))
    assert after(made, playback) == (SECOND, 2)


def test_steps_back_are_short_after_the_first() -> None:
    made, playback = player(BUSY, clock="boot-1")
    playback.pause()
    playback.go(Share(1.0))
    first(made)
    known = [after(made, _back(playback))[1] for _ in range(5)]
    assert known == sorted(known, reverse=True)
    assert len(set(known)) == 5


def _back(playback: Playback) -> Playback:
    playback.go(Step(-1))
    return playback


def test_what_is_not_there_is_said_and_one_stays() -> None:
    made, playback = player(FOUR)
    playback.go(Named("nothing"))
    assert after(made, playback) == (0, 1)
    assert playback.said == "no transfer has 'nothing' in its id"
    playback.go(Position(SECOND))
    assert playback.said == ""


def test_at_full_speed_it_comes_to_the_end_at_once() -> None:
    made, playback = player(FOUR, speed=MAX)
    assert after(made, playback)[1] == 4
    assert playback.over


def test_it_ends_when_it_is_stopped() -> None:
    made, playback = player(FOUR)
    found = made.snapshots()
    next(found)
    playback.stop()
    assert list(found) == []


def test_who_calls_elsewhere_on_the_way_is_heard() -> None:
    made, playback = player(FOUR)
    playback.go(Share(1.0))
    playback.go(Share(0.0))
    assert after(made, playback) == (0, 1)
    assert playback.searched is None


def test_there_are_no_marks_before_the_survey() -> None:
    assert player(FOUR)[1].marks == Marks()
