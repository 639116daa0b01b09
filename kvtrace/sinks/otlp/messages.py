"""Encodes log records and spans as OTLP's export requests, straight into their bytes."""

from collections.abc import Iterable
from functools import lru_cache
from struct import Struct

from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Status

from kvtrace import __version__
from kvtrace.moments import News, Record
from kvtrace.signals.logs import Context, Log, Resource, SpanEvent, attributes_of
from kvtrace.signals.severity import TEXT
from kvtrace.signals.spans import Span, SpanLink
from kvtrace.sinks.otlp.pairs import Pairs, utf8
from kvtrace.sinks.otlp.wire_format import sized, varint

NAMED = "event_name" in LogRecord.DESCRIPTOR.fields_by_name
"""Whether this OpenTelemetry's log records have a field for the event's name."""

LATEST = (1 << 64) - 1

_SCOPE = b"\x0a" + sized(b"\x0a\x07kvtrace\x12" + sized(__version__.encode()))

_OF_LOG, _OF_SPAN, _OF_EVENT, _OF_LINK, _OF_RESOURCE = b"\x32", b"\x4a", b"\x1a", b"\x22", b"\x0a"
"""The tags of attributes, by what has them."""

_FIXED = Struct("<BQ").pack
"""A fixed64 after its tag."""


class Messages:
    """Encodes, and remembers what comes again; threads may share it."""

    def __init__(self) -> None:
        self._pairs = Pairs()

    def logs(self, items: Iterable[tuple[Resource, Log]]) -> bytes:
        """The request that exports these log records, each under its resource."""
        parts: dict[Resource, list[bytes]] = {}
        for resource, log in items:
            parts.setdefault(resource, []).append(self._log(log))
        return self._request(parts)

    def spans(self, items: Iterable[tuple[Resource, Span]]) -> bytes:
        """The request that exports these spans, each under its resource."""
        parts: dict[Resource, list[bytes]] = {}
        for resource, span in items:
            parts.setdefault(resource, []).append(self._span(span))
        return self._request(parts)

    def _request(self, parts: dict[Resource, list[bytes]]) -> bytes:
        return b"".join(self._part(resource, records) for resource, records in parts.items())

    def _part(self, resource: Resource, records: list[bytes]) -> bytes:
        """The records of one resource, under one scope."""
        whose = _OF_RESOURCE.join((b"", *self._pairs.of(dict(resource.attributes))))
        scope = b"\x12".join((_SCOPE, *records))
        return b"\x0a" + sized(b"\x0a" + sized(whose) + b"\x12" + sized(scope))

    def _log(self, log: Log) -> bytes:
        start, end = _around(log.name, log.severity)
        said = _OF_LOG.join((start, *self._said(log.news)))
        where = _where(log.context)
        whole = _instant(0x09, log.wall) + said + where + _instant(0x59, log.observed) + end
        return sized(whole)

    def _span(self, span: Span) -> bytes:
        begins = _within(span.start)
        ends = max(begins, _within(span.end))
        whole = [
            b"\x0a" + sized(span.trace_id) + b"\x12" + sized(span.span_id),
            b"\x22" + sized(span.parent_id) if span.parent_id else b"",
            b"\x2a" + sized(utf8(span.name)) + b"\x30" + varint(span.kind),
            _instant(0x39, begins) + _instant(0x41, ends),
            _OF_SPAN.join((b"", *self._pairs.of(span.attributes))),
            *(b"\x5a" + self._event(event) for event in span.events),
            *(b"\x6a" + self._link(link) for link in span.links),
        ]
        if span.error:
            failed = b"\x18" + varint(Status.STATUS_CODE_ERROR)
            whole.append(b"\x7a" + sized(b"\x12" + sized(utf8(span.error)) + failed))
        return sized(b"".join(whole))

    def _event(self, event: SpanEvent) -> bytes:
        start = _instant(0x09, event.wall) + _named(event.name)
        said = (start, *self._pairs.of_record(event.record), *self._pairs.of_whose(event.record))
        return sized(_OF_EVENT.join(said))

    def _link(self, link: SpanLink) -> bytes:
        start = b"\x0a" + sized(link.trace_id) + b"\x12" + sized(link.span_id)
        return sized(_OF_LINK.join((start, *self._pairs.of(link.attributes))))

    def _said(self, news: News) -> list[bytes]:
        """The attributes of what was told."""
        if isinstance(news, Record):
            return self._pairs.of_record(news)
        return self._pairs.of(attributes_of(news))


@lru_cache(1024)
def _around(name: str, severity: int) -> tuple[bytes, bytes]:
    """What stands before the attributes of every such log record, and at its end."""
    text = sized(b"\x0a" + sized(utf8(name)))
    start = b"\x10" + varint(severity) + b"\x1a" + sized(TEXT[severity].encode())
    named = sized(b"\x0a\x0aevent.name\x12" + text)
    end = b"\x62" + sized(utf8(name)) if NAMED else b""
    return start + b"\x2a" + text + _OF_LOG + named, end


@lru_cache(1024)
def _where(context: Context) -> bytes:
    """The trace and the span of all log records of one half."""
    trace, span = context
    return (b"\x4a" + sized(trace) if trace else b"") + (b"\x52" + sized(span) if span else b"")


@lru_cache(1024)
def _named(name: str) -> bytes:
    """The name of a span event."""
    return b"\x12" + sized(utf8(name))


def _instant(tag: int, nanoseconds: int) -> bytes:
    """An instant after its tag; nothing where it is not known."""
    return _FIXED(tag, nanoseconds) if nanoseconds else b""


def _within(nanoseconds: int) -> int:
    return min(max(nanoseconds, 0), LATEST)
