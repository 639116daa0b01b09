"""Counted once, and not worked out anew."""

from kvtrace.census import Census
from kvtrace.departed import SHOWN
from kvtrace.moments import Moment
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    handshake_finished,
    request_admitted,
    request_resumed,
)
from tests.unit.story import CLOCK, SECOND, Story


def taken(story: Story) -> Census:
    census = Census(CLOCK)
    for moment in story.moments:
        census.take(moment)
    return census


def test_looking_twice_changes_nothing() -> None:
    census = taken(Story().at(0, *CONSUMER_FIRST).at(1, request_resumed()))
    assert census.snapshot(2 * SECOND) == census.snapshot(2 * SECOND)


def test_a_repeat_is_not_counted_again() -> None:
    story = Story().at(0, *CONSUMER_FIRST)
    census = taken(story)
    for moment in story.moments:
        census.take(Moment(SECOND, moment.news))
    assert census.snapshot(SECOND).rate == len(CONSUMER_FIRST) / 10


def test_only_the_last_to_end_are_shown_the_newest_first() -> None:
    story = Story()
    for number in range(SHOWN + 50):
        ident = f"x{number}"
        story.at(number, request_admitted(request=ident), request_resumed(request=ident))
    snapshot = taken(story).snapshot(300 * SECOND)
    assert len(snapshot.done) == SHOWN
    assert (snapshot.done[0].id, snapshot.done[-1].id) == ("x249", "x50")
    assert snapshot.totals.finished == SHOWN + 50


def test_what_is_learned_of_a_transfer_that_ended_is_shown() -> None:
    census = taken(Story().at(0, *CONSUMER_FIRST, request_resumed()))
    assert census.snapshot(0).done[0].transfer.producer is None
    for moment in Story().at(0, *PRODUCER_FIRST).moments:
        census.take(moment)
    assert census.snapshot(0).done[0].transfer.producer is not None


def test_a_clock_better_known_moves_what_was_drawn_by_it() -> None:
    census = taken(Story().at(0, *CONSUMER_FIRST))
    before = census.snapshot(0).clocks
    for moment in Story().at(0, handshake_finished(request="", clock_offset=5)).moments:
        census.take(moment)
    assert census.snapshot(0).clocks.ours == before.ours
