"""Log records and spans become OTLP's messages."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvtrace.moments import Ended, Lost, Record, Watched
from kvtrace.signals.logs import Log, Resource, SpanEvent, resource_of
from kvtrace.signals.severity import WARN
from kvtrace.signals.spans import CLIENT, Span, SpanLink
from kvtrace.sinks.otlp.messages import NAMED, Messages
from tests.otlp_messages import built_logs, built_spans, logs_request, traces_request
from tests.unit import samples
from tests.unit.moments import record, records
from tests.unit.signals.telling import WHOLE, recorded, spans_of
from tests.unit.signals.test_logs import record_of

ONE = resource_of("a" * 32, "P0", "boot-1", {"process.pid": 7})
TWO = resource_of("b" * 32, "D0", "boot-1", {})


def some_log(**changes: Any) -> Log:
    said: dict[str, Any] = {"news": expired(5), "observed": 6}
    return Log(**{**said, **changes})


def expired(wall: int) -> Record:
    return record(samples.lease_expired(request="r1"), at=3, wall=wall)


SAID = {
    "kvtrace.seq": 1,
    "kvtrace.at": 3,
    "kvtrace.role": "P",
    "kvtrace.rank": -1,
    "kvtrace.request": "r1",
}


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
    request = logs_request([(ONE, some_log(context=(b"t" * 16, b"s" * 8)))])
    (log,) = request.resource_logs[0].scope_logs[0].log_records
    assert (log.time_unix_nano, log.observed_time_unix_nano) == (5, 6)
    assert (log.severity_number, log.severity_text) == (WARN, "WARN")
    assert (log.trace_id, log.span_id) == (b"t" * 16, b"s" * 8)
    assert log.body.string_value == "kvtrace.lease.expired"
    assert not NAMED or log.event_name == "kvtrace.lease.expired"
    assert held(log.attributes) == {"event.name": "kvtrace.lease.expired", **SAID}


def test_what_one_process_says_is_under_one_resource_wherever_it_stands() -> None:
    twin = Resource(ONE.attributes)
    request = logs_request([(ONE, some_log()), (TWO, some_log()), (twin, some_log())])
    assert [len(r.scope_logs[0].log_records) for r in request.resource_logs] == [2, 1]
    first = request.resource_logs[0]
    assert held(first.resource.attributes)["process.pid"] == 7
    assert first.scope_logs[0].scope.name == "kvtrace"


def test_every_event_fits_into_a_message() -> None:
    logs = [(ONE, Log(record_of(event), 5)) for event in samples.SAMPLES]
    (whole,) = logs_request(logs).resource_logs
    assert len(whole.scope_logs[0].log_records) == len(samples.SAMPLES)


def test_a_span_says_where_it_belongs_and_what_went_wrong() -> None:
    span = some_span(
        parent_id=b"p" * 8,
        kind=CLIENT,
        error="no answer",
        attributes={"kvtrace.rank": 3, "ok": True},
        events=(SpanEvent(expired(12)),),
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
    whose = {"kvtrace.process": "a" * 32, "kvtrace.clock": "boot", "kvtrace.engine": "prefill-0"}
    assert held(event.attributes) == SAID | whose
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


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.name)
def test_the_bytes_are_those_that_opentelemetrys_own_messages_make(path: Path) -> None:
    clock, moments = recorded(path)
    pack = Messages()
    logs = [
        (ONE, some_log(news=moment.news, context=(b"t" * 16, b"s" * 8)))
        for moment in moments
        if moment.news is not None
    ]
    spans = [(TWO, span) for span in spans_of(moments, clock=clock)]
    assert pack.logs(logs) == built_logs(logs).SerializeToString()
    assert pack.spans(spans) == built_spans(spans).SerializeToString()


def test_every_event_and_all_that_is_told_beside_them_has_the_bytes_of_a_message() -> None:
    told = [
        *map(record_of, samples.SAMPLES),
        Lost(overwritten=3),
        Watched(process="a", state="frozen"),
        Ended(process="a", goodbye=False),
    ]
    logs = [(ONE, Log(one, 5)) for one in told]
    assert Messages().logs(logs) == built_logs(logs).SerializeToString()


@given(st.lists(records(), max_size=5), st.text(), st.integers(-(1 << 65), 1 << 65))
def test_any_record_has_the_bytes_of_a_message(told: list[Record], error: str, end: int) -> None:
    pack = Messages()
    logs = [(ONE, Log(one, 0)) for one in told]
    assert pack.logs(logs) == built_logs(logs).SerializeToString()
    span = some_span(events=tuple(map(SpanEvent, told)), error=error, end=end)
    assert pack.spans([(ONE, span)]) == built_spans([(ONE, span)]).SerializeToString()
