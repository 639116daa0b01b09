"""From moments to snapshots."""

import time
from itertools import pairwise

import msgspec
from hypothesis import given

from kvtrace.model import Outcome, Phase
from kvtrace.moments import Lost, Moment, News, Record
from kvtrace.monitor import LATEST, apart, conclude, watch
from kvtrace.snapshot import Row, Snapshot, Stalls
from tests.unit.moments import streams
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    WHOLE,
    blocks_ready,
    prefill_admitted,
    process_started,
    registration_noticed,
    request_admitted,
)
from tests.unit.story import CLOCK, SECOND, P, Story


def snapshots(*instants: int, every: int = SECOND // 10) -> list[int]:
    moments = (Moment(at) for at in instants)
    return [snapshot.at for snapshot in watch(moments, clock=CLOCK, every=every)]


def test_the_first_moment_gives_the_first_snapshot() -> None:
    stream = watch(iter([Moment(7)]), clock=CLOCK)
    assert next(stream).at == 7


def test_snapshots_come_no_faster_than_asked_and_the_last_is_never_left_out() -> None:
    assert snapshots(0, 4, 9, 10, 12, 25, 26, every=10) == [0, 10, 25, 26]
    assert snapshots(0, 10, every=10) == [0, 10]
    assert snapshots() == []


def test_the_more_is_in_flight_the_more_seldom_one_looks_but_once_a_second_at_least() -> None:
    assert apart(0, 0) == 0
    assert apart(100, 0) < apart(1_000, 0) < apart(1_000, 200) < LATEST
    assert apart(300, 300) < apart(310, 310) < apart(310, 300) + SECOND // 100
    assert apart(100_000, 100_000) == LATEST


def stalled(found: Snapshot | Stalls) -> list[Row]:
    return [row for row in found.rows if row.stalled or row.gone]


@given(streams())
def test_what_is_concluded_is_what_was_watched(moments: list[Moment]) -> None:
    watched, noted = list(watch(moments, clock=CLOCK)), list[Snapshot | Stalls]()
    assert conclude(moments, noted.append, clock=CLOCK) == (watched[-1] if watched else None)
    assert [(stalled(one), one.diagnoses) for one in noted] == [
        (stalled(one), one.diagnoses) for one in watched
    ]


def test_so_it_is_of_a_transfer_that_stalls_and_goes_on() -> None:
    story = Story().at(0, *WHOLE[:8])
    for second in range(1, 9):
        story.at(second)
    story.at(9, *WHOLE[8:]).at(10)
    watched, noted = list(watch(story.moments, clock=CLOCK)), list[Snapshot | Stalls]()
    assert conclude(story.moments, noted.append, clock=CLOCK) == watched[-1]
    assert [one.diagnoses for one in noted] == [one.diagnoses for one in watched]
    assert any(one.diagnoses for one in noted)


def test_what_is_in_flight_sets_the_pace_of_snapshots() -> None:
    begun = [request_admitted(request=f"r{n}-11111111") for n in range(2_000)]
    story = Story().at(0, *begun)
    silent = [Moment(story.moments[-1].at + n * SECOND // 10) for n in range(1, 11)]
    found = [one.at for one in watch([*story.moments, *silent], clock=CLOCK)]
    apart_by = [later - earlier for earlier, later in pairwise(found)]
    assert SECOND // 5 in apart_by
    assert max(apart_by) <= LATEST


def test_time_is_only_what_the_moments_say() -> None:
    story = Story().at(0, *PRODUCER_FIRST)
    story.at(3600).waits_for(Phase.REGISTRATION, seconds=3600)


def test_a_dead_producer_leaves_its_half_finished_transfers_with_their_ages() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, registration_noticed())
    story.dies(P).dies(P, rank=0).at(50)
    story.waits_for(Phase.READINESS, P.role, rank=0, seconds=50)
    assert {line.id: line.state for line in story.snapshot.engines} == {"P0": "died", "D0": "alive"}


def test_who_must_act_next_and_is_no_more_is_said_to_be_gone_whoever_came_after_it() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, registration_noticed())
    assert not story.row.gone
    assert not story.dies(P).at(1).row.gone  # a rank is waited for
    assert story.dies(P, rank=0).at(2).row.gone
    restarted = Moment(3 * SECOND, _by_another_process(story.moments[0].news))
    (*_, snapshot) = watch([*story.moments, restarted], clock=CLOCK)
    assert [row.gone for row in snapshot.rows] == [True]


def _by_another_process(news: News | None) -> Record:
    """The engine starts anew under its id, and tells of itself."""
    assert isinstance(news, Record)
    event = process_started(engine="P0", rank=0)
    return msgspec.structs.replace(
        news, process="P0/anew", engine="P0", role=P.role, rank=0, event=event
    )


def test_a_transfer_found_late_is_as_old_as_its_own_marks_say() -> None:
    """Attached long after: the marks are old, we see them only now."""
    moments = Story().at(10, *PRODUCER_FIRST).moments
    late = [Moment(500 * SECOND, moment.news) for moment in moments]
    (*_, snapshot) = watch(late, clock=CLOCK)
    assert snapshot.rows[0].waited == 490 * SECOND
    assert snapshot.losses.lag == 0


def test_rows_are_stalled_first_and_within_each_the_longest_wait_first() -> None:
    story = Story().at(0, prefill_admitted(request="a")).at(1, blocks_ready(request="b"))
    story.at(2, blocks_ready(request="c")).at(6.5)
    rows = story.snapshot.rows
    assert [(row.id, row.stalled) for row in rows] == [("b", True), ("a", False), ("c", False)]
    assert story.snapshot.oldest == 6.5 * SECOND
    assert story.snapshot.totals.stalled == 1


def test_the_numbers_agree_with_each_other() -> None:
    story = Story().at(0, *WHOLE).at(1, *CONSUMER_FIRST[:0], prefill_admitted(request="z")).at(3)
    snapshot = story.snapshot
    assert snapshot.totals.waiting == len(snapshot.rows) == 1
    assert sum(line.waiting for line in snapshot.phases) == 1
    assert [line.phase for line in snapshot.phases] == list(Phase)
    assert snapshot.totals.finished == len(snapshot.done) == 1
    assert snapshot.events == len(WHOLE) + 1
    assert snapshot.rate == snapshot.events / 10
    assert snapshot.wall == snapshot.at


def test_what_ended_keeps_its_phases_which_add_up() -> None:
    story = Story()
    for second, event in enumerate(WHOLE):
        story.at(second, event)
    done = story.has_ended(Outcome.FINISHED).done
    assert done.took == sum(ns for _, ns in done.phases) == (len(WHOLE) - 1) * SECOND
    assert done.size == 4096
    (line, *_) = story.snapshot.phases
    assert line.count == 1
    assert line.rate == 0
    assert line.p50 is not None


def test_losses_add_up() -> None:
    story = Story().hears(Lost(overwritten=3, unknown=1)).hears(Lost(overwritten=4, unreadable=2))
    losses = story.hears(Lost(process="x", ledger_full=5)).snapshot.losses
    assert (losses.overwritten, losses.unreadable, losses.unknown) == (7, 2, 1)
    assert losses.ledger_full == 5


def test_lag_is_between_the_freshest_event_and_when_we_took_it_in() -> None:
    (moment,) = Story().at(2, prefill_admitted()).moments
    moments = [Moment(1 * SECOND), Moment(5 * SECOND, moment.news)]
    (*_, snapshot) = watch(moments, clock=CLOCK)
    assert snapshot.losses.lag == 3 * SECOND


def test_an_engine_with_a_long_id_gets_a_short_name_that_it_keeps() -> None:
    far = msgspec.structs.replace(P, name="prefill-1-8c0e3f52-77aa")
    story = Story().at(0, prefill_admitted(), by=far).at(1, *CONSUMER_FIRST)
    assert story.snapshot.names == {far.name: "P1", "D0": "D0", "P0": "P0"} or (
        story.snapshot.names[far.name] == "P0"
    )
    assert [line.id for line in story.snapshot.engines] == [far.name, "D0"]


def test_a_snapshot_of_a_thousand_in_flight_is_cheap() -> None:
    story = Story()
    for number in range(1000):
        name = f"x{number}"
        story.at(0, blocks_ready(request=f"{name}-aaaaaaaa"))
    stream = watch([*story.moments, *(Moment(SECOND * n) for n in range(1, 22))], clock=CLOCK)
    next(stream), next(stream)
    began = time.process_time()
    assert sum(len(snapshot.rows) for snapshot in stream) == 20_000
    assert (time.process_time() - began) / 20 < 0.05
