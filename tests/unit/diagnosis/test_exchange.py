"""What vLLM's errors say of a handshake."""

import pytest

from kvtrace.causes import Cause
from kvtrace.diagnosis.exchange import Why, why
from kvtrace.moments import Record
from tests.unit.samples import (
    CONSUMER_FIRST,
    D_REQUEST,
    failure_logged,
    handshake_failed,
    prefill_admitted,
    process_started,
    receive_failed,
    request_admitted,
)
from tests.unit.story import CLOCK, SECOND, D, Story


@pytest.mark.parametrize(
    ("error_type", "error", "says"),
    [
        ("Again", "Resource temporarily unavailable", Why.SILENT),
        (
            "RuntimeError",
            "Remote NIXL agent engine ID mismatch. Expected a,received b.",
            Why.ANOTHER,
        ),
        ("RuntimeError", "NIXL compatibility hash mismatch. Local: 1, Remote: 2.", Why.HASH),
        ("RuntimeError", "Failed to decode NixlHandshakePayload. Error: x", Why.HASH),
        ("AssertionError", "AssertionError", Why.LAYOUT),
        (
            "RuntimeError",
            "Heterogeneous TP expects same kv_cache_layout (local A, remote B).",
            Why.LAYOUT,
        ),
        ("nixlBackendError", "NIXL_ERR_BACKEND", Why.OTHER),
        ("RuntimeError", "something new", Why.OTHER),
    ],
)
def test_an_error_says_what_kept_the_two_apart(error_type: str, error: str, says: Why) -> None:
    assert why(error_type, error) is says


def test_an_engine_that_is_both_logs_without_saying_on_whose_half() -> None:
    story = Story().at(0, process_started(kv_role="kv_both"), by=D)
    story.at(0, request_admitted(host="10.0.0.1", port=9), *CONSUMER_FIRST[1:-1])
    logged = failure_logged(
        request=D_REQUEST, failure="push_reg_handshake_failed", error="no", error_type="Again"
    )
    story.hears(
        Record(
            process="D0/0",
            seq=900,
            at=5 * SECOND,
            wall=5 * SECOND,
            clock=CLOCK,
            engine="D0",
            role=None,
            rank=0,
            event=logged,
        )
    )
    story.at(5, receive_failed())
    story.is_blamed_on(Cause.SIDE_CHANNEL_UNREACHABLE, "no answer from 10.0.0.1:9")


def test_a_rank_that_got_through_later_did_not_fail() -> None:
    story = Story().at(0, *CONSUMER_FIRST[:-1], prefill_admitted())
    story.at(1, handshake_failed(error_type="Again", error="no answer"))
    story.at(2, CONSUMER_FIRST[-1]).at(40)
    story.is_not_blamed_on(Cause.SIDE_CHANNEL_UNREACHABLE)
