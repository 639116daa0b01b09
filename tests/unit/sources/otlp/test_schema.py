"""Our view of OTLP's messages sees what OpenTelemetry's own messages hold."""

from kvtrace.sources.otlp import schema
from tests.unit.sources.otlp.requests import logs, record, spans


def test_a_log_record_is_seen_as_opentelemetry_wrote_it() -> None:
    (part,) = schema.request_of(logs(record()).SerializeToString()).parts
    parsed = schema.part_of(part)
    assert len(schema.resource_of(parsed.resource).attributes) == 4
    assert len(schema.scope_of(parsed.scopes[0]).records) == 1
    (log,) = schema.logs_of(parsed.scopes[0]).records
    assert (log.name, log.time) == (b"kvtrace.registration.sent", record().wall)
    assert len(log.attributes) > 5


def test_a_span_is_seen_with_its_events() -> None:
    (part,) = schema.request_of(spans(record()).SerializeToString()).parts
    (span,) = schema.spans_of(schema.part_of(part).scopes[0]).records
    event = schema.span_event_of(span.events[0])
    assert span.name == b"kvtrace.registration"
    assert (event.name, event.time) == (b"kvtrace.registration.sent", record().wall)
