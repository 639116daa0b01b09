"""Stories of blocks that are not there."""

from kvtrace.causes import Cause
from kvtrace.model import Outcome, Role
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    blocks_ready,
    prefill_admitted,
    registration_noticed,
)
from tests.unit.story import Engine, Story

P1 = Engine(name="P1", role=Role.PRODUCER)


def test_a_prefill_that_failed_is_blamed_for_the_wait() -> None:
    story = Story().at(0, *CONSUMER_FIRST, prefill_admitted(), registration_noticed())
    story.at(1, blocks_ready(held=False, status="error"))
    story.at(40).is_blamed_on(Cause.PREFILL_FAILED, "P0 ended the request as error").is_sure()


def test_a_prefill_that_only_queues_is_not() -> None:
    story = Story().at(0, *CONSUMER_FIRST, prefill_admitted(), registration_noticed())
    story.at(40).is_not_blamed_on(Cause.PREFILL_FAILED)


def test_a_prefill_that_fails_without_a_consumer_only_ends() -> None:
    story = Story().at(0, prefill_admitted(), blocks_ready(held=False, status="error"))
    story.has_ended(Outcome.FAILED).is_blamed_on(Cause.UNEXPLAINED)


def test_a_prefill_on_another_producer_is_blamed() -> None:
    story = Story().at(0, *CONSUMER_FIRST).at(0, registration_noticed())
    story.at(1, *PRODUCER_FIRST, by=P1).at(35)
    assert story.diagnoses()["r1"] is Cause.PREFILL_RAN_ELSEWHERE


def test_a_prefill_on_the_named_producer_is_not() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST)
    story.at(35).is_not_blamed_on(Cause.PREFILL_RAN_ELSEWHERE)
