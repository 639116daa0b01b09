"""Stories of sides that cannot reach each other."""

from functools import partial

from kvtrace.causes import Cause
from kvtrace.model import SCHEDULER, Outcome, Role
from tests.unit.samples import (
    CONSUMER_FIRST,
    D_REQUEST,
    P_REQUEST,
    PRODUCER_FIRST,
    failure_logged,
    handshake_failed,
    handshake_finished,
    handshake_started,
    listener_started,
    match_made,
    process_started,
    process_stopped,
    receive_failed,
    registration_noticed,
    request_admitted,
    write_started,
)
from tests.unit.story import D, Engine, P, Story

AGAIN = {"error": "Resource temporarily unavailable", "error_type": "Again"}
P1 = Engine(name="P1", role=Role.PRODUCER)
P_ELSEWHERE = Engine(name="P0", role=Role.PRODUCER, clock="host-2")

d_gave_up = partial(failure_logged, request=D_REQUEST, failure="push_reg_handshake_failed")
p_gave_up = partial(failure_logged, request=P_REQUEST, failure="push_handshake_failed")


def consumer_asks(host: str = "10.0.0.1", port: int = 5600) -> Story:
    """A consumer that was told of a producer and sets out to reach it."""
    story = Story().at(0, request_admitted(host=host, port=port), *CONSUMER_FIRST[1:-1])
    return story.at(0, handshake_started(host=host, port=port))


def without_answer(story: Story, host: str = "10.0.0.1", port: int = 5600) -> Story:
    """Nobody answers it for five seconds, and it gives the load up."""
    failed = handshake_failed(host=host, port=port, took=5 * 10**9, **AGAIN)  # type: ignore[arg-type]
    story.at(5, failed, d_gave_up(**AGAIN), by=D)
    return story.at(5.1, receive_failed())


def answered_as(wanted: str, got: str, story: Story | None = None) -> Story:
    """Another engine answers than the one that was asked for."""
    error = f"Remote NIXL agent engine ID mismatch. Expected {wanted},received {got}."
    story = story or consumer_asks()
    refused = {"error": error, "error_type": "RuntimeError"}
    story.at(0.1, handshake_failed(host="10.0.0.1", port=5600, **refused))  # type: ignore[arg-type]
    return story.at(0.1, d_gave_up(**refused), by=D).at(0.2, receive_failed())


def test_a_side_channel_that_does_not_answer_is_named_with_its_address() -> None:
    story = without_answer(consumer_asks()).has_ended(Outcome.FAILED)
    story.is_blamed_on(
        Cause.SIDE_CHANNEL_UNREACHABLE, "D0 rank 0 had no answer from 10.0.0.1:5600 in 5.00 s"
    ).is_sure()


def test_a_wrong_port_is_told_beside_the_right_one() -> None:
    story = Story().at(
        0, process_started(host="10.0.0.1", port=5600, rank=-1), by=P, rank=SCHEDULER
    )
    story.at(0, listener_started(), by=P)
    story.at(0, request_admitted(host="10.0.0.1", port=9), *CONSUMER_FIRST[1:-1])
    without_answer(story, port=9)
    story.is_blamed_on(Cause.SIDE_CHANNEL_UNREACHABLE, "P0 listens on 10.0.0.1:5600").is_sure()
    assert story.diagnosis is not None
    assert "not 10.0.0.1:9" in story.diagnosis.remedy


def test_localhost_leads_to_the_host_of_who_asks() -> None:
    story = Story().at(0, process_started(host="localhost", port=5600, rank=-1), by=P_ELSEWHERE)
    story.at(0, request_admitted(host="localhost", port=5600), *CONSUMER_FIRST[1:-1])
    without_answer(story, host="localhost")
    story.is_blamed_on(Cause.SIDE_CHANNEL_UNREACHABLE, "leads to D0’s own host")


def test_a_producer_that_nobody_hears_may_not_be_there_at_all() -> None:
    story = Story().at(0, process_started(kv_role="kv_producer"), by=P1)
    story.at(0, request_admitted(host="10.0.0.1", port=5600), *CONSUMER_FIRST[1:-1])
    without_answer(story).is_blamed_on(Cause.SIDE_CHANNEL_UNREACHABLE)
    assert story.diagnosis is not None
    assert "no engine with the id “P0” is heard" in story.diagnosis.remedy


def test_a_request_that_waited_for_the_same_handshake_is_named_too() -> None:
    story = consumer_asks().at(5, d_gave_up(**AGAIN), by=D).at(5.1, receive_failed())
    story.is_blamed_on(Cause.SIDE_CHANNEL_UNREACHABLE, "no answer from 10.0.0.1:5600.")


def test_a_handshake_that_still_lasts_is_not_blamed() -> None:
    consumer_asks().at(5.5).is_not_blamed_on(Cause.SIDE_CHANNEL_UNREACHABLE)


def test_where_it_answered_before_and_is_not_heard_it_is_unsure() -> None:
    story = Story().at(0, handshake_finished(host="10.0.0.1", port=5600), by=D)
    story.at(1, request_admitted(host="10.0.0.1", port=5600), *CONSUMER_FIRST[1:-1])
    without_answer(story).is_blamed_on(Cause.SIDE_CHANNEL_UNREACHABLE)
    story.is_unsure("which had answered before")


def test_a_producer_that_is_frozen_does_not_answer() -> None:
    story = Story().at(0, listener_started(), by=P).watched(P, frozen=True)
    story.at(0, request_admitted(host="10.0.0.1", port=5600), *CONSUMER_FIRST[1:-1])
    without_answer(story).is_not_blamed_on(Cause.SIDE_CHANNEL_UNREACHABLE)
    story.is_blamed_on(Cause.ENGINE_FROZEN, "P0 is there and does not run")


def test_a_producer_that_has_no_answer_cannot_reach_the_consumer() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST)
    story.at(0, registration_noticed(host="10.0.0.2", port=5601), match_made())
    story.at(0, write_started(outcome="deferred")).at(5, p_gave_up(**AGAIN), by=P).at(7)
    story.is_blamed_on(
        Cause.PRODUCER_CANNOT_REACH_CONSUMER, "P0 rank 0 had no answer from 10.0.0.2:5601"
    ).is_sure()


def test_a_producer_that_is_refused_by_nixl_cannot_reach_the_consumer() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, registration_noticed(), match_made())
    refused = {"error": "NIXL_ERR_BACKEND", "error_type": "nixlBackendError"}
    story.at(0, handshake_failed(request=P_REQUEST, side="P", peer="D0", **refused), by=P)  # type: ignore[arg-type]
    story.at(0, p_gave_up(**refused), by=P).at(6)
    story.is_blamed_on(Cause.PRODUCER_CANNOT_REACH_CONSUMER, "NIXL_ERR_BACKEND; D0 was not told")


def test_a_write_that_is_only_deferred_is_not_blamed_on_the_way() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, registration_noticed(), match_made())
    story.at(0, write_started(outcome="deferred")).at(6)
    story.is_not_blamed_on(Cause.PRODUCER_CANNOT_REACH_CONSUMER)


def test_where_only_the_producer_is_heard_its_own_word_is_enough() -> None:
    story = Story().at(0, *PRODUCER_FIRST, registration_noticed(), match_made())
    story.at(5, p_gave_up(**AGAIN), by=P).at(7)
    story.is_blamed_on(Cause.PRODUCER_CANNOT_REACH_CONSUMER).is_sure()


def test_another_engine_at_the_address_is_named() -> None:
    story = Story().at(0, process_started(host="10.0.0.1", port=5600, rank=-1), by=P1)
    story.at(0, request_admitted(host="10.0.0.1", port=5600), *CONSUMER_FIRST[1:-1])
    answered_as("P0", "P1", story)
    story.is_blamed_on(
        Cause.WRONG_ENGINE_ANSWERED, "10.0.0.1:5600 answered as P1, P0 was expected"
    ).is_sure()


def test_a_consumer_that_reaches_itself_was_told_localhost() -> None:
    story = answered_as("P0", "D0").is_blamed_on(Cause.WRONG_ENGINE_ANSWERED)
    assert story.diagnosis is not None
    assert "VLLM_NIXL_SIDE_CHANNEL_HOST" in story.diagnosis.remedy


def test_a_producer_that_is_no_more_was_replaced() -> None:
    story = Story().at(0, listener_started(), process_stopped(), by=P).dies(P, goodbye=True)
    story.dies(P, 0, goodbye=True)
    story.at(1, listener_started(), by=P1)
    story.at(2, request_admitted(host="10.0.0.1", port=5600), *CONSUMER_FIRST[1:-1])
    error = "Remote NIXL agent engine ID mismatch. Expected P0,received P1."
    story.at(2.1, d_gave_up(error=error, error_type="RuntimeError"), by=D)
    story.at(2.2, receive_failed())
    story.is_blamed_on(Cause.WRONG_ENGINE_ANSWERED).is_sure()
    assert story.diagnosis is not None
    assert "P0 is no more" in story.diagnosis.remedy


def test_a_producer_that_died_is_not_called_unreachable() -> None:
    story = Story().at(0, listener_started(), by=P)
    story.at(0, request_admitted(host="10.0.0.1", port=5600), *CONSUMER_FIRST[1:-1])
    story.at(1).dies(P)
    without_answer(story).is_blamed_on(Cause.PRODUCER_DIED)


def test_another_data_parallel_rank_is_told_apart() -> None:
    story = answered_as("p-7_dp0", "p-7_dp1").is_blamed_on(Cause.WRONG_ENGINE_ANSWERED)
    assert story.diagnosis is not None
    assert "data-parallel rank" in story.diagnosis.remedy


def test_no_answer_is_not_the_wrong_engine() -> None:
    without_answer(consumer_asks()).is_not_blamed_on(Cause.WRONG_ENGINE_ANSWERED)


def test_the_half_that_was_never_asked_is_named_by_what_kept_the_consumer_from_asking() -> None:
    story = Story().at(0, request_admitted(producer="nobody", host="10.0.0.1", port=9))
    story.at(0, *PRODUCER_FIRST).at(0, handshake_started(peer="nobody", host="10.0.0.1", port=9))
    failed = handshake_failed(peer="nobody", host="10.0.0.1", port=9, took=5 * 10**9, **AGAIN)  # type: ignore[arg-type]
    story.at(5, failed, d_gave_up(**AGAIN), by=D).at(5.1, receive_failed()).at(16)
    assert set(story.diagnoses().values()) == {Cause.SIDE_CHANNEL_UNREACHABLE}
