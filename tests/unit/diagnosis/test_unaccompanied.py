"""Stories of consumers that compute what nobody's blocks came for."""

from kvtrace.causes import Cause
from kvtrace.events import AnyEvent
from tests.unit.samples import (
    PRODUCER_FIRST,
    WHOLE,
    listener_started,
    prefill_admitted,
    request_admitted,
    request_finished,
    step_sampled,
)
from tests.unit.story import D, Story

OTHER = "r2-aaaaaaaa"
NEXT: tuple[AnyEvent, ...] = (
    prefill_admitted(request=OTHER),
    *(type(one)(request=OTHER) for one in PRODUCER_FIRST[1:]),
)
"""Another request's blocks, for which no consumer comes."""


def test_a_consumer_that_runs_its_model_for_no_transfer_prefilled_by_itself() -> None:
    story = Story().at(4, step_sampled(), by=D).at(5, *PRODUCER_FIRST)
    story.at(5.5, step_sampled(forwards=12), by=D).at(11)
    story.is_blamed_on(Cause.CONSUMER_PREFILLED_ITSELF, "D0 ran its model 12 times meanwhile")
    story.is_unsure("which request D0 computed is not told")


def test_a_consumer_that_rests_did_not() -> None:
    story = Story().at(0, listener_started(), by=D).at(5, *PRODUCER_FIRST)
    story.at(5.5, step_sampled(), by=D).at(11).is_blamed_on(Cause.REGISTRATION_NEVER_CAME)


def test_a_consumer_that_is_at_another_transfer_is_not_blamed() -> None:
    story = Story().at(0, *WHOLE).at(1, *NEXT).at(1.5, step_sampled(forwards=12), by=D)
    story.at(2, request_finished()).at(8)
    assert story.diagnoses() == {"r2": Cause.REGISTRATION_NEVER_CAME}


def test_a_consumer_that_serves_requests_of_its_own_anyway_is_not_blamed() -> None:
    story = Story().at(0, listener_started(), by=D).at(3, step_sampled(forwards=9), by=D)
    story.at(5, *PRODUCER_FIRST).at(5.5, step_sampled(forwards=12), by=D).at(11)
    story.is_blamed_on(Cause.REGISTRATION_NEVER_CAME)


def test_where_no_consumer_is_heard_nothing_is_said_of_its_steps() -> None:
    Story().at(0, *PRODUCER_FIRST).at(6).is_blamed_on(Cause.REGISTRATION_NEVER_CAME)


def test_what_a_consumer_computed_when_we_began_to_listen_is_not_held_against_it() -> None:
    story = Story().at(5, *PRODUCER_FIRST).at(5.5, step_sampled(forwards=12), by=D).at(11)
    story.is_blamed_on(Cause.REGISTRATION_NEVER_CAME)


def test_a_consumer_that_was_told_of_another_producer_was_told() -> None:
    story = Story().at(4, step_sampled(), by=D).at(5, request_admitted(producer="nobody"))
    story.at(5, *PRODUCER_FIRST).at(5.5, step_sampled(forwards=12), by=D).at(11)
    assert Cause.CONSUMER_PREFILLED_ITSELF not in story.diagnoses().values()
