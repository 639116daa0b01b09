"""Log records and spans become OTLP's messages."""

from typing import Any

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from kvtrace.signals.logs import Log, Resource, log_of, resource_of
from kvtrace.signals.severity import WARN
from kvtrace.signals.spans import CLIENT, Span, SpanLink
from kvtrace.sinks.otlp.messages import NAMED, fill, logs_request, traces_request
from tests.unit import samples
from tests.unit.signals.test_logs import record_of

ONE = resource_of("a" * 32, "P0", "boot-1", {"process.pid": 7})
TWO = resource_of("b" * 32, "D0", "boot-1", {})


def some_log(name: str = "kvtrace.lease.expired", **changes: Any) -> Log:
    said = {"wall": 5, "observed": 6, "severity": WARN, "attributes": {"kvtrace.seq": 1}}
    return Log(name=name, **{**said, **changes})


def some_span(**changes: Any) -> Span:
    said: dict[str, Any] = {
        "trace_id": b"t" * 16,
        "span_id": b"s" * 8,
        "name": "kvtrace.write",
        "start": 10,
        "end": 20,
        "attributes": {},
        "process": "a" * 32,
        "engine": "P0",
        "root": b"r" * 8,
        "trigger": ("a" * 32, 1),
    }
    return Span(**{**said, **changes})


def held(pairs: Any) -> dict[str, Any]:
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in pairs}


def test_a_log_record_says_its_name_its_times_and_its_severity() -> None:
    request = logs_request([(ONE, some_log(trace_id=b"t" * 16, span_id=b"s" * 8))])
    (record,) = request.resource_logs[0].scope_logs[0].log_records
    assert (record.time_unix_nano, record.observed_time_unix_nano) == (5, 6)
    assert (record.severity_number, record.severity_text) == (WARN, "WARN")
    assert (record.trace_id, record.span_id) == (b"t" * 16, b"s" * 8)
    assert record.body.string_value == "kvtrace.lease.expired"
    assert not NAMED or record.event_name == "kvtrace.lease.expired"
    assert held(record.attributes) == {"event.name": "kvtrace.lease.expired", "kvtrace.seq": 1}


def test_what_one_process_says_is_under_one_resource_wherever_it_stands() -> None:
    twin = Resource(ONE.attributes)
    request = logs_request([(ONE, some_log()), (TWO, some_log()), (twin, some_log())])
    assert [len(r.scope_logs[0].log_records) for r in request.resource_logs] == [2, 1]
    first = request.resource_logs[0]
    assert held(first.resource.attributes)["process.pid"] == 7
    assert first.scope_logs[0].scope.name == "kvtrace"


def test_every_event_fits_into_a_message() -> None:
    logs = [(ONE, log_of(record_of(event), 5)) for event in samples.SAMPLES]
    (whole,) = logs_request(logs).resource_logs
    assert len(whole.scope_logs[0].log_records) == len(samples.SAMPLES)


def test_a_span_says_where_it_belongs_and_what_went_wrong() -> None:
    span = some_span(
        parent_id=b"p" * 8,
        kind=CLIENT,
        error="no answer",
        attributes={"kvtrace.rank": 3, "ok": True},
        events=(some_log(wall=12),),
        links=(SpanLink(b"l" * 16, b"k" * 8, {"kvtrace.join": "r1"}),),
    )
    (message,) = traces_request([(ONE, span)]).resource_spans[0].scope_spans[0].spans
    assert (message.trace_id, message.span_id) == (b"t" * 16, b"s" * 8)
    assert (message.parent_span_id, message.kind) == (b"p" * 8, CLIENT)
    assert (message.start_time_unix_nano, message.end_time_unix_nano) == (10, 20)
    assert (message.status.code, message.status.message) == (2, "no answer")
    assert held(message.attributes) == {"kvtrace.rank": 3, "ok": True}
    (event,) = message.events
    assert (event.name, event.time_unix_nano) == ("kvtrace.lease.expired", 12)
    assert held(event.attributes) == {"kvtrace.seq": 1}
    (link,) = message.links
    assert (link.trace_id, link.span_id, held(link.attributes)) == (
        b"l" * 16,
        b"k" * 8,
        {"kvtrace.join": "r1"},
    )


def test_a_span_that_went_well_has_no_status_and_never_ends_before_it_starts() -> None:
    request = traces_request([(ONE, some_span(start=20, end=-5)), (TWO, some_span())])
    message = request.resource_spans[0].scope_spans[0].spans[0]
    assert not message.HasField("status")
    assert (message.start_time_unix_nano, message.end_time_unix_nano) == (20, 20)
    assert len(request.resource_spans) == 2


def filled(value: Any) -> AnyValue:
    holder = AnyValue()
    pairs: list[KeyValue] = []

    def add(key: str) -> KeyValue:
        pairs.append(KeyValue(key=key))
        return pairs[-1]

    fill(add, {"a\ud800": value})
    assert pairs[0].key == "a?"
    holder.CopyFrom(pairs[0].value)
    return holder


def test_values_of_every_kind_are_kept() -> None:
    assert filled(("a", "b")).array_value.values[1].string_value == "b"
    assert filled((1, 2)).array_value.values[0].int_value == 1
    assert filled(()).WhichOneof("value") == "array_value"
    assert filled(b"\x00").bytes_value == b"\x00"
    assert filled(1.5).double_value == 1.5
    assert filled(False).WhichOneof("value") == "bool_value"


def test_what_no_message_can_hold_is_told_as_text() -> None:
    assert filled(1 << 63).string_value == str(1 << 63)
    assert filled("b\udfff").string_value == "b?"
