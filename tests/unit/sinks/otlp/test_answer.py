"""What an endpoint's answer means."""

import pytest
from google.protobuf.any_pb2 import Any
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from grpc import StatusCode

from kvtrace.sinks.otlp.answer import Fate, of_http, of_silence, of_status, taken


def details(seconds: int) -> bytes:
    packed = Any()
    packed.Pack(RetryInfo(retry_delay=Duration(seconds=seconds)))
    raw: bytes = Status(code=8, details=[packed]).SerializeToString()
    return raw


@pytest.mark.parametrize("code", [StatusCode.UNAVAILABLE, StatusCode.DEADLINE_EXCEEDED])
def test_a_passing_trouble_is_tried_again(code: StatusCode) -> None:
    answer = of_status(code, "no route", ())
    assert (answer.fate, answer.after) == (Fate.LATER, None)
    assert answer.why == f"{code.name}: no route"


@pytest.mark.parametrize(
    "code", [StatusCode.UNAUTHENTICATED, StatusCode.INVALID_ARGUMENT, StatusCode.UNIMPLEMENTED]
)
def test_what_would_be_refused_again_is_not_sent_again(code: StatusCode) -> None:
    assert of_status(code, "", ()).fate is Fate.NEVER


def test_the_wait_that_is_asked_for_is_found_in_either_place() -> None:
    for trailers in (
        [("grpc-status-details-bin", details(7))],
        [
            (
                "google.rpc.retryinfo-bin",
                RetryInfo(retry_delay=Duration(seconds=7)).SerializeToString(),
            )
        ],
    ):
        answer = of_status(StatusCode.RESOURCE_EXHAUSTED, "slow down", trailers)
        assert (answer.fate, answer.after) == (Fate.LATER, 7.0)


def test_exhaustion_without_a_wait_is_taken_for_a_message_too_large() -> None:
    assert of_status(StatusCode.RESOURCE_EXHAUSTED, "4194305 > max", ()).fate is Fate.SMALLER


def test_details_that_cannot_be_read_ask_for_nothing() -> None:
    for raw in (b"\xff", "text"):
        answer = of_status(StatusCode.UNAVAILABLE, "", [("grpc-status-details-bin", raw)])
        assert answer.after is None


def test_http_says_the_same_by_its_own_numbers() -> None:
    assert of_http(503, "busy", {"Retry-After": "3"}).after == 3.0
    assert of_http(429, "", {"Retry-After": "Wed, 21 Oct 2037 07:28:00 GMT"}).after is None
    assert of_http(413, "", {}).fate is Fate.SMALLER
    assert {of_http(status, "", {}).fate for status in (301, 400, 401, 404, 500)} == {Fate.NEVER}


def test_words_are_kept_short() -> None:
    assert len(of_status(StatusCode.INTERNAL, "x" * 10_000, ()).why) <= 200
    assert len(of_silence(OSError("x" * 10_000)).why) <= 200
    assert len(taken(1, "x" * 10_000).why) <= 200


def test_words_of_an_answer_that_took_all_are_no_trouble() -> None:
    assert taken(0, "welcome").why == ""
    assert taken(2, "too old").rejected == 2
