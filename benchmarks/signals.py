"""Events to OTLP and back on one core: log records, spans, and the SDK's own way beside ours."""

import time
from collections.abc import Callable
from itertools import islice

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk.resources import Resource as SdkResource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind

from benchmarks.measure import Row
from benchmarks.transfer_state import CLOCK, record_of, stream
from kvtrace.moments import Record
from kvtrace.signals.deriver import Deriver
from kvtrace.signals.logs import Log, resource_of
from kvtrace.signals.reading import news_of
from kvtrace.signals.severity import TEXT
from kvtrace.signals.spans import Span
from kvtrace.sinks.otlp.messages import Messages

TRANSFERS = 1500
BATCH = 512
ROUNDS = 5
POLL = 50
"""Events that are read at once before spans are asked for."""

RESOURCE = resource_of("a" * 32, "engine-of-some-name", CLOCK, {"process.pid": 1, "host.name": "h"})
SDK_RESOURCE = SdkResource(dict(RESOURCE.attributes))
SCOPE = InstrumentationScope("kvtrace", "1")


def run() -> list[Row]:
    """Microseconds for each, best of some rounds, by CPU time."""
    records = [record_of(one) for one in stream(TRANSFERS)]
    logs = [Log(record, record.wall) for record in records]
    spans = derive(records)
    events, per_half = len(records), len(spans)
    resource = dict(RESOURCE.attributes)
    theirs = list(map(_sdk_log, islice(logs, 10_000)))
    their_spans = list(map(_sdk_span, islice(spans, 5_000)))
    rows = [
        _row("log record to OTLP bytes", "<= 15 µs", events, lambda: _logs_bytes(logs)),
        _row("the same by the SDK's encoder", "", len(theirs), lambda: _sdk_logs_bytes(theirs)),
        _row("events to spans, each event", "", events, lambda: derive(records)),
        _row("span with its events to OTLP bytes", "", per_half, lambda: _spans_bytes(spans)),
        _row(
            "the same by the SDK's encoder",
            "",
            len(their_spans),
            lambda: _sdk_spans_bytes(their_spans),
        ),
        _row("all of it, each event", "<= 50 µs", events, lambda: _everything(records)),
        _row(
            "attributes to event",
            "<= 8 µs",
            events,
            lambda: [news_of(log.name, log.wall, log.attributes, resource) for log in logs],
        ),
    ]
    return rows


def _row(what: str, aim: str, count: int, work: Callable[[], object]) -> Row:
    best = min(_timed(work) for _ in range(ROUNDS)) / count
    return {
        "what": what,
        "each": f"{best * 1e6:.1f} µs",
        "a second": f"{1 / best:,.0f}",
        "aim": aim,
    }


def _timed(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def _everything(records: list[Record]) -> None:
    _logs_bytes([Log(record, record.wall) for record in records])
    _spans_bytes(derive(records))


def derive(records: list[Record]) -> list[Span]:
    deriver = Deriver(CLOCK)
    made: list[Span] = []
    for first in range(0, len(records), POLL):
        read = records[first : first + POLL]
        for record in read:
            made += deriver.take(record, record.at)
        made += deriver.tick(read[-1].at, read[-1].wall)
    for minute in (1, 2):
        made += deriver.tick(read[-1].at + minute * 60_000_000_000, read[-1].wall)
    return made


def _logs_bytes(logs: list[Log]) -> None:
    pack = Messages()
    for first in range(0, len(logs), BATCH):
        batch = logs[first : first + BATCH]
        pack.logs((RESOURCE, log) for log in batch)


def _spans_bytes(spans: list[Span]) -> None:
    pack = Messages()
    for first in range(0, len(spans), BATCH):
        batch = spans[first : first + BATCH]
        pack.spans((RESOURCE, span) for span in batch)


def _sdk_logs_bytes(logs: list[ReadableLogRecord]) -> None:
    for first in range(0, len(logs), BATCH):
        encode_logs(logs[first : first + BATCH]).SerializeToString()


def _sdk_spans_bytes(spans: list[ReadableSpan]) -> None:
    for first in range(0, len(spans), BATCH):
        encode_spans(spans[first : first + BATCH]).SerializeToString()


def _sdk_log(log: Log) -> ReadableLogRecord:
    record = LogRecord(
        timestamp=log.wall,
        observed_timestamp=log.observed,
        severity_number=SeverityNumber(log.severity),
        severity_text=TEXT[log.severity],
        body=log.name,
        attributes={"event.name": log.name, **log.attributes},
    )
    return ReadableLogRecord(record, resource=SDK_RESOURCE, instrumentation_scope=SCOPE)


def _sdk_span(span: Span) -> ReadableSpan:
    trace = int.from_bytes(span.trace_id, "big")
    return ReadableSpan(
        name=span.name,
        context=SpanContext(trace, int.from_bytes(span.span_id, "big"), False),
        parent=SpanContext(trace, int.from_bytes(span.root, "big"), False),
        resource=SDK_RESOURCE,
        attributes=span.attributes,
        events=[Event(one.name, one.attributes, one.wall) for one in span.events],
        kind=SpanKind.INTERNAL,
        start_time=span.start,
        end_time=span.end,
        instrumentation_scope=SCOPE,
    )
