"""Stories of tables that only grow."""

from kvtrace.causes import Cause
from kvtrace.events import TablesSampled
from tests.unit.samples import (
    CONSUMER_FIRST,
    process_started,
    registration_noticed,
    registration_sent,
    request_admitted,
    tables_sampled,
)
from tests.unit.story import P, Story


def registrations(count: int) -> TablesSampled:
    return tables_sampled(sizes={"registrations": count})


def growing(story: Story, *counts: int) -> Story:
    """So many, one after the other, ten seconds apart."""
    story.at(0, process_started(engine="P0", kv_role="kv_producer"), by=P)
    for number, count in enumerate(counts):
        story.at(number * 10, registrations(count), by=P)
    return story


def test_registrations_that_only_grow_pile_up() -> None:
    story = growing(Story(), 9, 11, 12, 14, 15, 15, 18, 20)
    assert story.engine_causes == {Cause.REGISTRATIONS_PILE_UP}
    (found,) = story.snapshot.engine_diagnoses
    assert "P0 rank 0 has kept at least 9 registrations" in found.sentence


def test_a_burst_that_is_worked_off_does_not() -> None:
    assert not growing(Story(), 0, 64, 64, 40, 20, 10, 9, 64).engine_causes


def test_a_burst_that_has_only_come_does_not() -> None:
    assert not growing(Story(), 64, 64, 64).engine_causes


def test_registrations_whose_requests_still_wait_do_not() -> None:
    story = growing(Story(), 9, 9, 9, 9, 9, 9, 9)
    for number in range(9):
        request = f"q{number}-bbbbbbbb"
        story.at(61, request_admitted(request=request), registration_sent(request=request))
        story.at(61, registration_noticed(remote_request=request))
    assert not story.at(70).engine_causes


def test_with_more_consumer_ranks_some_stay_unmatched_for_ever() -> None:
    story = growing(Story(), 9, 11, 12, 14, 15, 15, 18, 20)
    story.at(71, *CONSUMER_FIRST, registration_noticed(tp_size=2)).at(72)
    assert not story.engine_causes


def test_a_producer_that_tells_of_no_tables_is_left_alone() -> None:
    story = Story().at(0, process_started(engine="P0", kv_role="kv_producer"), by=P).at(99)
    assert not story.engine_causes
