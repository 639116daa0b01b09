"""Export requests as OpenTelemetry's own messages, for the tests of what reads them."""

from collections.abc import Sequence
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue

from kvtrace.events import RegistrationSent
from kvtrace.model import Role
from kvtrace.moments import Record
from kvtrace.signals.logs import Log, SpanEvent, resource_of
from tests.otlp_messages import logs_request

PROCESS = "ab" * 16


def record(seq: int = 1, **others: Any) -> Record:
    told: dict[str, Any] = {
        "process": PROCESS,
        "seq": seq,
        "at": 1_000 + seq,
        "wall": 1_767_225_600_000_000_000 + seq,
        "clock": "boot",
        "engine": "decode-0",
        "role": Role.CONSUMER,
        "rank": 0,
        "thread": "MainThread",
        "event": RegistrationSent(request="cmpl-1-aaaaaaaa", producer="prefill-0"),
    }
    return Record(**{**told, **others})


def logs(*records: Record) -> ExportLogsServiceRequest:
    """The log records as kvtrace's own agent sends them."""
    return logs_request(
        (resource_of(one.process, one.engine, one.clock, {}), Log(one, one.wall)) for one in records
    )


def spans(*records: Record, name: str = "kvtrace.registration") -> ExportTraceServiceRequest:
    """One span with these events, under a resource that says nothing."""
    request = ExportTraceServiceRequest()
    span = request.resource_spans.add().scope_spans.add().spans.add(name=name)
    for one in records:
        log = SpanEvent(one)
        event = span.events.add(name=log.name, time_unix_nano=log.wall)
        for key, value in log.attributes.items():
            event.attributes.add(key=key, value=any_value(value))
    return request


def foreign_logs(count: int = 1) -> ExportLogsServiceRequest:
    request = ExportLogsServiceRequest()
    scope = request.resource_logs.add().scope_logs.add()
    for _ in range(count):
        scope.log_records.add(body=AnyValue(string_value="GET / 200"))
    return request


def any_value(value: Any) -> AnyValue:
    match value:
        case bool():
            return AnyValue(bool_value=value)
        case int():
            return AnyValue(int_value=value)
        case float():
            return AnyValue(double_value=value)
        case bytes():
            return AnyValue(bytes_value=value)
        case str():
            return AnyValue(string_value=value)
    made = AnyValue()
    assert isinstance(value, Sequence)
    made.array_value.values.extend(any_value(one) for one in value)
    return made
