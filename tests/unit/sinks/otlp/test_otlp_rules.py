"""Real recordings become messages that keep OTLP's rules, and read back to the same events."""

from pathlib import Path
from typing import Any

import pytest

from kvtrace.moments import Moment, Record
from kvtrace.signals.logs import Log, Resource, resource_of
from kvtrace.signals.reading import news_of
from kvtrace.signals.spans import STALL, TRANSFER
from tests.otlp_messages import logs_request, traces_request
from tests.otlp_rules import check_logs, check_traces
from tests.unit.signals.telling import WHOLE, keys, recorded, spans_of

EACH = pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.name)
NOW = 1_800_000_000_000_000_000


def records(moments: list[Moment]) -> list[Record]:
    return [moment.news for moment in moments if isinstance(moment.news, Record)]


def resource(record: Record) -> Resource:
    return resource_of(record.process, record.engine, record.clock, {"process.pid": 1})


def held(pairs: Any) -> dict[str, Any]:
    found = {}
    for pair in pairs:
        kind = pair.value.WhichOneof("value")
        value = getattr(pair.value, kind)
        if kind == "array_value":
            value = tuple(one.string_value for one in value.values)
        found[pair.key] = value
    return found


@EACH
def test_every_log_record_keeps_the_rules_and_reads_back(path: Path) -> None:
    _, moments = recorded(path)
    told = records(moments)
    request = logs_request((resource(one), Log(one, NOW)) for one in told)
    logs = check_logs(request.SerializeToString())
    assert len(logs) == len(told)
    read = [
        news_of(log.body.string_value, log.time_unix_nano, held(log.attributes), whose)
        for whole in request.resource_logs
        for whose in [held(whole.resource.attributes)]
        for log in whole.scope_logs[0].log_records
    ]
    assert sorted(read, key=key) == sorted(told, key=key)


def key(one: Any) -> tuple[str, int]:
    return one.process, one.seq


@EACH
def test_every_span_keeps_the_rules_and_its_events_read_back(path: Path) -> None:
    clock, moments = recorded(path)
    told = {(one.process, one.seq): one for one in records(moments)}
    made = spans_of(moments, clock=clock)
    request = traces_request((resource(told[span.trigger]), span) for span in made)
    spans = check_traces(request.SerializeToString())
    assert len(spans) == len(made)
    read = [
        news_of(event.name, event.time_unix_nano, held(event.attributes), {})
        for span in spans
        for event in span.events
        if span.name != STALL
    ]
    assert sorted(map(key, read)) == sorted(keys(made))
    for one in read:
        assert one == told[key(one)]


@EACH
def test_a_span_lies_within_its_half_s_root(path: Path) -> None:
    clock, moments = recorded(path)
    made = spans_of(moments, clock=clock)
    roots = {span.root: span for span in made if span.name == TRANSFER}
    for span in made:
        root = roots[span.root]
        # A registration can be noticed before the producer has even admitted the request.
        early = span.attributes.get("kvtrace.waited_for") == "blocks"
        assert root.start <= span.start or early
        assert span.start <= span.end <= root.end
        parents = {one.span_id for one in made if one.root == span.root}
        assert span is root or span.parent_id in parents
