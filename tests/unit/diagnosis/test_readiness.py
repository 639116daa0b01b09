"""Stories of blocks that are not there."""

from kvtrace.causes import Cause
from kvtrace.model import Outcome, Role
from tests.unit.samples import (
    CONSUMER_FIRST,
    LANDING,
    PRODUCER_FIRST,
    WRITING,
    blocks_ready,
    leg_answered,
    prefill_admitted,
    registration_noticed,
    request_admitted,
    request_finished,
)
from tests.unit.story import ROUTER, Engine, Story

P1 = Engine(name="P1", role=Role.PRODUCER)


def test_a_prefill_that_failed_is_blamed_for_the_wait() -> None:
    story = Story().at(0, *CONSUMER_FIRST, prefill_admitted(), registration_noticed())
    story.at(1, blocks_ready(held=False, status="error"))
    story.at(40).is_blamed_on(Cause.PREFILL_FAILED, "P0 ended the request as error").is_sure()


def test_an_earlier_attempt_under_the_same_id_is_not() -> None:
    story = Story().at(0, prefill_admitted()).at(1, blocks_ready(held=False, status="error"))
    story.at(9, *CONSUMER_FIRST, registration_noticed()).at(50)
    story.is_not_blamed_on(Cause.PREFILL_FAILED)


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


def test_a_producer_that_holds_what_another_was_asked_for_is_told_so_too() -> None:
    story = Story().at(0, *CONSUMER_FIRST).at(1, *PRODUCER_FIRST, by=P1).at(35)
    assert set(story.diagnoses().values()) == {Cause.PREFILL_RAN_ELSEWHERE}
    assert len(story.diagnoses()) == 2


def test_an_earlier_request_of_that_id_that_ran_elsewhere_is_not() -> None:
    story = Story().at(0, *PRODUCER_FIRST, *WRITING, *LANDING[1:4], by=P1).at(9, *CONSUMER_FIRST)
    story.at(45)
    assert Cause.PREFILL_RAN_ELSEWHERE not in story.diagnoses().values()


def test_where_the_named_producer_is_not_heard_it_is_unsure() -> None:
    story = Story().at(0, *CONSUMER_FIRST).at(1, *PRODUCER_FIRST, by=P1).at(35)
    assert {one.doubt for one in story.snapshot.diagnoses.values()} == {"nothing is heard of P0"}


def test_a_prefill_that_was_aborted_before_it_began_has_failed() -> None:
    story = Story().at(0, *CONSUMER_FIRST, registration_noticed())
    story.at(1, blocks_ready(held=False, status="FINISHED_ABORTED")).at(40)
    story.is_blamed_on(Cause.PREFILL_FAILED, "P0 ended the request as FINISHED_ABORTED").is_sure()


def test_a_router_that_heard_an_error_says_that_it_failed() -> None:
    story = Story().at(0, *CONSUMER_FIRST, registration_noticed())
    story.at(1, leg_answered(request="r1", status=503), by=ROUTER).at(40)
    story.is_blamed_on(Cause.PREFILL_FAILED, "The router’s leg to P0 ended with 503").is_sure()


def test_a_router_that_cut_the_leg_off_says_so() -> None:
    story = Story().at(0, *CONSUMER_FIRST, registration_noticed())
    story.at(1, leg_answered(request="r1", status=0, error="aborted"), by=ROUTER).at(40)
    story.is_blamed_on(Cause.PREFILL_FAILED, "ended with aborted")


def test_a_router_that_heard_success_does_not() -> None:
    story = Story().at(0, *CONSUMER_FIRST, registration_noticed())
    story.at(1, leg_answered(request="r1", status=200), by=ROUTER).at(40)
    story.is_not_blamed_on(Cause.PREFILL_FAILED)


def test_a_client_that_leaves_ends_both_and_nothing_failed() -> None:
    story = Story().at(0, request_admitted(), prefill_admitted())
    story.at(1, blocks_ready(held=False, status="FINISHED_ABORTED"))
    story.at(1.1, request_finished(status="FINISHED_ABORTED"))
    story.has_ended(Outcome.ABANDONED).is_blamed_on(None)
