"""What OTLP asks of every message, checked on the messages' bytes as anybody reads them."""

from collections.abc import Iterable
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, SeverityNumber
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

EARLIEST = 1_500_000_000_000_000_000
"""Nanoseconds since the epoch: no span of ours is of before 2017."""


def check_traces(payload: bytes) -> list[Span]:
    """Every span in the request, if all is as it should be."""
    request = ExportTraceServiceRequest.FromString(payload)
    found: list[Span] = []
    for whole in request.resource_spans:
        check_attributes(whole.resource.attributes)
        for scope in whole.scope_spans:
            assert scope.scope.name == "kvtrace"
            for span in scope.spans:
                check_span(span)
                found.append(span)
    ids = [(span.trace_id, span.span_id) for span in found]
    assert len(ids) == len(set(ids)), "two spans have one id"
    return found


def check_span(span: Span) -> None:
    """All that one span has to be."""
    check_id(span.trace_id, 16)
    check_id(span.span_id, 8)
    if span.parent_span_id:
        check_id(span.parent_span_id, 8)
    assert span.parent_span_id != span.span_id
    assert span.name
    assert span.kind in (1, 3)
    assert EARLIEST < span.start_time_unix_nano <= span.end_time_unix_nano
    assert span.status.code in (Status.STATUS_CODE_UNSET, Status.STATUS_CODE_ERROR)
    assert bool(span.status.message) == (span.status.code == Status.STATUS_CODE_ERROR)
    check_attributes(span.attributes)
    for event in span.events:
        assert event.name.startswith("kvtrace.")
        assert event.time_unix_nano > EARLIEST
        check_attributes(event.attributes)
    for link in span.links:
        check_id(link.trace_id, 16)
        check_id(link.span_id, 8)
        check_attributes(link.attributes)


def check_logs(payload: bytes) -> list[LogRecord]:
    """Every log record in the request, if all is as it should be."""
    request = ExportLogsServiceRequest.FromString(payload)
    found: list[LogRecord] = []
    for whole in request.resource_logs:
        check_attributes(whole.resource.attributes)
        for scope in whole.scope_logs:
            assert scope.scope.name == "kvtrace"
            for log in scope.log_records:
                check_log(log)
                found.append(log)
    return found


def check_log(log: LogRecord) -> None:
    """All that one log record has to be."""
    assert log.time_unix_nano > EARLIEST
    assert log.observed_time_unix_nano > EARLIEST
    named = SeverityNumber.Name(log.severity_number).removeprefix("SEVERITY_NUMBER_")
    assert log.severity_text == named
    assert log.body.string_value.startswith("kvtrace.")
    assert getattr(log, "event_name", log.body.string_value) == log.body.string_value
    if log.span_id:
        check_id(log.span_id, 8)
        assert log.trace_id
    if log.trace_id:
        check_id(log.trace_id, 16)
    check_attributes(log.attributes)


def check_id(value: bytes, length: int) -> None:
    """An id has its length, and is not all zeros."""
    assert len(value) == length
    assert any(value)


def check_attributes(pairs: Iterable[Any]) -> None:
    """Names are there, once each; values are there, and lists hold one kind of value."""
    names = [pair.key for pair in pairs]
    assert all(names)
    assert len(names) == len(set(names))
    for pair in pairs:
        check_value(pair.value)


def check_value(value: AnyValue) -> None:
    """A value is one of those that an attribute may have."""
    kind = value.WhichOneof("value")
    assert kind in ("string_value", "bool_value", "int_value", "double_value", "array_value"), kind
    if kind == "array_value":
        kinds = {one.WhichOneof("value") for one in value.array_value.values}
        assert len(kinds) <= 1
        for one in value.array_value.values:
            check_value(one)
