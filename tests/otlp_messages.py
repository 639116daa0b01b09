"""Export requests as OpenTelemetry's own messages: ours parsed, and the same ones built by hand."""

from collections.abc import Callable, Iterable
from itertools import groupby
from operator import itemgetter
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.resource.v1.resource_pb2 import Resource as ResourceMessage
from opentelemetry.proto.trace.v1.trace_pb2 import Span as SpanMessage
from opentelemetry.proto.trace.v1.trace_pb2 import Status

from kvtrace import __version__
from kvtrace.signals.logs import Log, Resource
from kvtrace.signals.severity import TEXT
from kvtrace.signals.spans import Span
from kvtrace.signals.values import Attributes, Value
from kvtrace.sinks.otlp.messages import NAMED, Messages

Add = Callable[..., KeyValue]

SCOPE = InstrumentationScope(name="kvtrace", version=__version__)

LATEST = (1 << 64) - 1


def logs_request(items: Iterable[tuple[Resource, Log]]) -> ExportLogsServiceRequest:
    """The request that exports these log records, read back."""
    return ExportLogsServiceRequest.FromString(Messages().logs(items))


def traces_request(items: Iterable[tuple[Resource, Span]]) -> ExportTraceServiceRequest:
    """The request that exports these spans, read back."""
    return ExportTraceServiceRequest.FromString(Messages().spans(items))


def built_logs(items: Iterable[tuple[Resource, Log]]) -> ExportLogsServiceRequest:
    """The same, built of OpenTelemetry's messages."""
    request = ExportLogsServiceRequest()
    adds: dict[Resource, Callable[..., LogRecord]] = {}
    for resource, group in groupby(items, itemgetter(0)):
        add = adds.get(resource)
        if add is None:
            whole = request.resource_logs.add()
            _describe(whole.resource, resource)
            add = adds[resource] = whole.scope_logs.add(scope=SCOPE).log_records.add
        for _, log in group:
            _log(add, log)
    return request


def built_spans(items: Iterable[tuple[Resource, Span]]) -> ExportTraceServiceRequest:
    """The same, built of OpenTelemetry's messages."""
    request = ExportTraceServiceRequest()
    adds: dict[Resource, Callable[..., SpanMessage]] = {}
    for resource, group in groupby(items, itemgetter(0)):
        add = adds.get(resource)
        if add is None:
            whole = request.resource_spans.add()
            _describe(whole.resource, resource)
            add = adds[resource] = whole.scope_spans.add(scope=SCOPE).spans.add
        for _, span in group:
            _span(add, span)
    return request


def _describe(message: ResourceMessage, resource: Resource) -> None:
    fill(message.attributes.add, dict(resource.attributes))


def _log(add: Callable[..., LogRecord], log: Log) -> None:
    message = add(
        time_unix_nano=log.wall,
        observed_time_unix_nano=log.observed,
        severity_number=log.severity,
        severity_text=TEXT[log.severity],
        trace_id=log.context[0],
        span_id=log.context[1],
    )
    if NAMED:
        message.event_name = log.name
    message.body.string_value = log.name
    message.attributes.add(key="event.name").value.string_value = log.name
    fill(message.attributes.add, log.attributes)


def _span(add: Callable[..., SpanMessage], span: Span) -> None:
    start = _instant(span.start)
    message = add(
        trace_id=span.trace_id,
        span_id=span.span_id,
        parent_span_id=span.parent_id,
        name=span.name,
        kind=span.kind,
        start_time_unix_nano=start,
        end_time_unix_nano=max(start, _instant(span.end)),
    )
    if span.error:
        message.status.code = Status.STATUS_CODE_ERROR
        message.status.message = _plain(span.error)
    fill(message.attributes.add, span.attributes)
    for event in span.events:
        one = message.events.add(time_unix_nano=event.wall, name=event.name)
        fill(one.attributes.add, event.attributes)
    for link in span.links:
        other = message.links.add(trace_id=link.trace_id, span_id=link.span_id)
        fill(other.attributes.add, link.attributes)


def fill(add: Add, attributes: Attributes) -> None:
    """Add the attributes; what no message can hold as it is, is told as text."""
    for name, value in attributes.items():
        _put(_holder(add, name), value)


def _holder(add: Add, name: str) -> Any:
    try:
        return add(key=name).value
    except ValueError:
        return add(key=_plain(name)).value


def _put(holder: AnyValue, value: Value) -> None:
    try:
        _put_as_it_is(holder, value)
    except ValueError:
        holder.string_value = _plain(str(value))


def _put_as_it_is(holder: AnyValue, value: Value) -> None:
    match value:
        case bool():
            holder.bool_value = value
        case tuple():
            holder.array_value.SetInParent()
            for one in value:
                _put(holder.array_value.values.add(), one)
        case str():
            holder.string_value = value
        case bytes():
            holder.bytes_value = value
        case int():
            holder.int_value = value
        case float():
            holder.double_value = value


def _plain(text: str) -> str:
    """The text without what UTF-8 cannot say."""
    return text.encode("utf-8", "replace").decode()


def _instant(nanoseconds: int) -> int:
    return min(max(nanoseconds, 0), LATEST)
