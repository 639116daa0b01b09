"""OTLP's JSON form."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from kvtrace.errors import WireError
from kvtrace.sources.otlp.decode import Signal
from kvtrace.sources.otlp.json_form import json_answer, json_status, protobuf_of

TRACE, SPAN = "5b8aa5a2d2c872e8321cf37308d69df2", "051581bf3cb55c13"


def spans(**fields: Any) -> bytes:
    span = {"traceId": TRACE, "spanId": SPAN, "name": "x", **fields}
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode()


def test_ids_are_hexadecimal_and_large_numbers_strings() -> None:
    body = spans(
        startTimeUnixNano="1544712660000000000",
        links=[{"traceId": TRACE.upper(), "spanId": SPAN}],
        attributes=[{"key": "n", "value": {"intValue": "9007199254740993"}}],
        kind=2,
        somethingNew=True,
    )
    request = ExportTraceServiceRequest.FromString(protobuf_of(Signal.TRACES, body))
    (span,) = request.resource_spans[0].scope_spans[0].spans
    assert (span.trace_id.hex(), span.span_id.hex()) == (TRACE, SPAN)
    assert span.links[0].trace_id.hex() == TRACE
    assert span.start_time_unix_nano == 1544712660000000000
    assert (span.attributes[0].value.int_value, span.kind) == (9007199254740993, 2)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b'{"resourceSpans":5}',
        spans(traceId="xyz"),
        spans(startTimeUnixNano="yesterday"),
        b'{"resourceSpans":' + b"[" * 50_000,
        b'{"resourceSpans":[{"resource":' + b'{"attributes":[{"value":' * 2000,
    ],
)
def test_what_is_not_otlps_json_is_an_error_of_ours(body: bytes) -> None:
    with pytest.raises(WireError):
        protobuf_of(Signal.TRACES, body)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ("resourceLogs", "scopeLogs", "logRecords", "body", "attributes", "traceId", "x")
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=15,
)


@given(st.sampled_from(Signal), JSON | st.binary())
def test_any_json_is_a_request_or_an_error_of_ours(signal: Signal, given: Any) -> None:
    body = given if isinstance(given, bytes) else json.dumps(given).encode()
    with suppress(WireError):
        protobuf_of(signal, body)


def test_answers_are_json() -> None:
    assert json_answer(Signal.LOGS, b"") == b"{}"
    assert json.loads(json_status(b"\x08\x03\x12\x03bad")) == {"code": 3, "message": "bad"}
