"""Who is too young to be stalled, and who need not be waited for."""

from kvtrace.events import AnyEvent
from kvtrace.fleet import Fleet
from kvtrace.moments import Record
from kvtrace.youth import Youth, in_flight
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    completion_counted,
    process_started,
    registration_noticed,
    request_admitted,
)
from tests.unit.story import CLOCK, SECOND, D, P, Story


def fleet_of(story: Story) -> Fleet:
    fleet = Fleet(CLOCK)
    for moment in story.moments:
        fleet.take(moment)
    return fleet


def is_young(story: Story, seconds: float) -> bool:
    """Whether the only transfer in flight is, at that time."""
    fleet, youth = fleet_of(story), Youth()
    for moment in story.moments:
        if isinstance(moment.news, Record):
            youth.hear(moment.news)
    (one,) = in_flight(fleet.table, fleet.engines)
    return youth.is_young(one, fleet.clocks, fleet.engines, round(seconds * SECOND))


def test_who_waits_less_than_the_least_patience_is_young() -> None:
    story = Story().at(1, *CONSUMER_FIRST, *PRODUCER_FIRST)
    assert is_young(story, 5.9)
    assert not is_young(story, 6)


def test_a_short_lease_and_a_short_limit_of_a_consumer_lower_it() -> None:
    def with_one(started: AnyEvent) -> Story:
        return Story().at(1, started, by=P).at(1, *PRODUCER_FIRST)

    assert not is_young(with_one(process_started(lease=SECOND)), 2)
    assert not is_young(with_one(process_started(registration_timeout=SECOND)), 2)
    assert is_young(with_one(process_started()), 2)


def test_who_may_wait_for_a_process_that_is_gone_is_not_young() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST)
    assert is_young(story, 1)
    assert not is_young(story.dies(P), 1)


def test_who_told_of_no_step_or_by_a_clock_that_is_ahead_is_not_young() -> None:
    assert not is_young(Story().at(1, completion_counted(count=1, needed=2), by=D), 1)
    assert not is_young(Story().at(2, *CONSUMER_FIRST), 1)


def test_a_registration_that_nobody_waits_for_is_not_in_flight() -> None:
    story = Story().at(0, request_admitted(request="other"), registration_noticed())
    fleet = fleet_of(story)
    assert [one.id for one in in_flight(fleet.table, fleet.engines)] == ["other"]
