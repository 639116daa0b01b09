"""Stories of transfers that wait for their turn."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from kvtrace.events import MatchMade, WritePosted
from kvtrace.model import Phase
from kvtrace.moments import Record
from kvtrace.monitor import watch
from kvtrace.queues import KEPT, Queues
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    blocks_queued,
    blocks_ready,
    match_made,
    prefill_admitted,
    process_started,
    registration_noticed,
    write_posted,
)
from tests.unit.story import CLOCK, SECOND, P, Story

SERVED = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=40)


def served(number: int) -> tuple[MatchMade, WritePosted]:
    """P's writer comes to that one of the others."""
    name, far = f"o{number}-aaaaaaaa", f"o{number}-bbbbbbbb"
    met = match_made(request=name, remote_request=far)
    return met, write_posted(request=name, remote_request=far)


def burst(others: int = 9, lease: int = 30) -> Story:
    """P has the blocks of others, then those of r1; its writer comes to one each second."""
    story = Story().at(0, process_started(lease=lease * SECOND), by=P)
    for number in range(others):
        name = f"o{number}-aaaaaaaa"
        ready = blocks_ready(request=name), blocks_queued(request=name)
        story.at(0.01, prefill_admitted(request=name), *ready)
    story.at(0.1, *CONSUMER_FIRST, *PRODUCER_FIRST)
    for number in range(others):
        story.at(number + 1, *served(number))
    return story


def stalled(story: Story) -> bool:
    """Whether r1 is."""
    return next(row.stalled for row in story.snapshot.rows if row.id == "r1")


def test_who_stands_in_a_queue_that_moves_is_not_stalled() -> None:
    assert not stalled(burst().at(9.5))


def test_its_patience_runs_from_when_the_queue_moved_last() -> None:
    assert not stalled(burst().at(13.9))
    assert stalled(burst().at(14))


def test_what_is_done_for_itself_is_no_queue() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, registration_noticed())
    assert stalled(story.at(3, match_made()).at(5, write_posted()).at(8))


def test_no_queue_is_waited_for_beyond_the_lease() -> None:
    assert stalled(burst(lease=8).at(9.5))


def test_those_that_came_later_and_are_served_first_are_no_queue() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST)
    for number in range(6):
        story.at(number + 0.5, prefill_admitted(request=f"o{number}-aaaaaaaa"), *served(number))
    assert stalled(story.at(6))


def test_a_prefill_that_does_not_come_stands_in_no_writers_queue() -> None:
    story = Story().at(0, prefill_admitted(request="o1-aaaaaaaa"), *CONSUMER_FIRST)
    rows = story.at(29, *served(1)).at(30).snapshot.rows
    assert [row.stalled for row in rows if row.phase is Phase.READINESS] == [True]


def test_a_mark_of_the_future_keeps_nobody_patient_until_then() -> None:
    told = [
        msgspec.structs.replace(one, news=msgspec.structs.replace(one.news, at=3_600 * SECOND))
        if isinstance(one.news, Record) and isinstance(one.news.event, MatchMade | WritePosted)
        else one
        for one in burst(others=1).at(7).moments
    ]
    *_, last = watch(told, clock=CLOCK)
    assert [row.stalled for row in last.rows if row.id == "r1"] == [True]


@given(SERVED, st.integers(0, 30))
def test_it_is_told_when_anybody_before_was_served_last(
    served: list[tuple[int, int]], entered: int
) -> None:
    queues = Queues()
    for came, at in served:
        queues.serve("P", came, at)
    before = [at for came, at in served if came < entered]
    assert queues.moved("P", entered) == max(before, default=None)


def test_its_memory_is_bounded() -> None:
    queues = Queues()
    for number in range(3 * KEPT):
        queues.serve("P", number, number)
    assert queues.moved("P", 2 * KEPT) is None
    assert queues.moved("P", 5 * KEPT) == 3 * KEPT - 1
