"""Stories of loads that failed, were not needed, or were asked for twice."""

from kvtrace.causes import Cause
from kvtrace.model import Outcome
from tests.unit.samples import (
    CONSUMER_FIRST,
    D_REQUEST,
    PRODUCER_FIRST,
    WHOLE,
    WRITING,
    failure_logged,
    lease_expired,
    load_decided,
    match_missed,
    process_started,
    receive_failed,
    receive_finished,
    receive_reported,
    registration_skipped,
    registration_staged,
    request_admitted,
    request_finished,
    request_resumed,
)
from tests.unit.story import D, Story


def failed(policy: str = "fail") -> Story:
    """A consumer that gives up its load."""
    story = Story().at(0, process_started(facts={"kv_load_failure_policy": policy}), by=D)
    story.at(0, *CONSUMER_FIRST, *PRODUCER_FIRST)
    return story.at(1, receive_reported(failed=True))


def test_a_load_that_failed_says_what_of_and_what_became_of_the_request() -> None:
    story = failed()
    logged = failure_logged(request=D_REQUEST, failure="transfer_failed", error="NIXL_ERR")
    story.at(1, logged, by=D).at(1, receive_failed(), request_finished(status="FINISHED_ERROR"))
    story.has_ended(Outcome.FAILED).is_blamed_on(
        Cause.LOAD_FAILED_BY_POLICY,
        "transfer_failed (NIXL_ERR); the request ended as FINISHED_ERROR",
    ).is_sure()


def test_a_load_that_failed_for_a_reason_not_told_is_unsure() -> None:
    story = failed("recompute").at(1, receive_failed()).at(1.1, request_resumed(failed=True))
    story.is_blamed_on(Cause.LOAD_FAILED_BY_POLICY, "D0 prefilled it by itself")
    story.is_unsure("was not told")


def test_the_cause_of_a_failed_load_wins_over_the_policy() -> None:
    story = failed()
    logged = failure_logged(
        request=D_REQUEST,
        failure="push_reg_handshake_failed",
        error="Resource temporarily unavailable",
        error_type="Again",
    )
    story.at(1, logged, by=D).at(1, receive_failed())
    story.is_blamed_on(Cause.SIDE_CHANNEL_UNREACHABLE)


def test_a_load_that_landed_did_not_fail() -> None:
    Story().at(0, *WHOLE).is_blamed_on(None)


def full_hit() -> Story:
    """A consumer with the whole prompt in its cache, and a producer that computed it anew."""
    story = Story().at(0, request_admitted(tokens=512), load_decided(tokens=0, computed=511))
    story.at(0, registration_skipped())
    return story.at(1, *PRODUCER_FIRST, match_missed())


def test_blocks_that_nobody_needed_and_that_were_held_are_blamed_on_the_full_hit() -> None:
    story = full_hit().at(31, lease_expired())
    story.has_ended(Outcome.FINISHED).is_blamed_on(
        Cause.FULL_HIT_HOLDS_BLOCKS, "P0 held 7 blocks for 30.0 s for nobody"
    ).is_sure()


def test_a_full_hit_alone_is_healthy() -> None:
    full_hit().at(2).is_blamed_on(None)


def test_where_the_producer_is_not_heard_a_full_hit_is_healthy() -> None:
    story = Story().at(0, request_admitted(tokens=512), load_decided(tokens=0, computed=511))
    story.at(0, registration_skipped()).at(40).is_not_blamed_on(Cause.FULL_HIT_HOLDS_BLOCKS)


def test_a_partial_hit_is_not_a_full_one() -> None:
    story = Story().at(0, request_admitted(), load_decided(tokens=16, computed=84))
    story.at(0, *WHOLE[2:]).is_blamed_on(None)


def landed() -> Story:
    """A consumer that has its KV, and has not gone on yet."""
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, *WRITING)
    return story.at(1, receive_reported(), receive_finished())


def test_a_load_that_is_asked_for_again_is_named() -> None:
    story = landed().at(2, registration_staged(ordinal=1)).at(10)
    story.is_blamed_on(Cause.LOADED_TWICE, "asked P0 for it again 1.00 s later").is_sure()


def test_a_load_that_landed_and_waits_to_be_scheduled_is_not() -> None:
    landed().at(10).is_not_blamed_on(Cause.LOADED_TWICE)


def test_where_only_the_consumer_is_heard_a_second_load_is_unsure() -> None:
    story = Story().at(0, *CONSUMER_FIRST).at(1, receive_reported(), receive_finished())
    story.at(2, registration_staged(ordinal=1)).at(10)
    story.is_blamed_on(Cause.LOADED_TWICE).is_unsure("nothing is heard of P0")
