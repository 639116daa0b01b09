"""What is remembered of what was sent."""

from pathlib import Path

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from kvtrace.agent.cursor import Cursor
from kvtrace.agent.parcels import (
    LogParcel,
    SpanParcel,
    logs_answered,
    logs_refused,
    logs_taken,
    pack_logs,
    pack_spans,
    spans_answered,
    spans_handed,
)
from kvtrace.moments import Lost
from kvtrace.signals.logs import Log, Resource
from kvtrace.signals.spans import STALL, Span
from kvtrace.sinks.otlp.messages import Messages
from tests.unit.moments import record

OURS = Resource((("service.name", "vllm"),))


def log(seq: int, process: str = "a", ended: bool = False) -> LogParcel:
    made = Log(record(seq=seq), 0)
    return LogParcel(resource=OURS, log=made, process=process, seq=seq, ended=ended)


def id_of(seq: int) -> str:
    return seq.to_bytes(8, "big").hex()


def span(seq: int, name: str = "kvtrace.write", at: int = 5) -> SpanParcel:
    made = Span(
        trace_id=bytes(16),
        span_id=bytes.fromhex(id_of(seq)),
        name=name,
        start=0,
        end=5,
        attributes={},
        process="a",
        engine="e",
        root=b"",
        trigger=("a", seq),
    )
    return SpanParcel(resource=OURS, span=made, at=at)


def test_each_kind_is_packed_for_its_own_service() -> None:
    pack = Messages()
    logs = ExportLogsServiceRequest.FromString(pack_logs(pack, [log(1), log(2)]))
    spans = ExportTraceServiceRequest.FromString(pack_spans(pack, [span(1)]))
    assert len(logs.resource_logs[0].scope_logs[0].log_records) == 2
    assert len(spans.resource_spans[0].scope_spans[0].spans) == 1


def test_log_records_that_were_answered_are_noted_by_process(tmp_path: Path) -> None:
    cursor = Cursor(tmp_path)
    logs_answered(cursor, [log(1), log(9, "b"), log(2), log(0, ended=True)])
    cursor.write()
    later = Cursor(tmp_path)
    assert (later.before("a").logs, later.before("b").logs) == (2, 9)
    assert (later.before("a").ended, later.before("b").ended) == (True, False)


def test_spans_are_noted_on_disk_before_they_are_sent(tmp_path: Path) -> None:
    cursor = Cursor(tmp_path)
    spans_handed(cursor, [span(4), span(3), span(8, STALL, at=77)])
    later = Cursor(tmp_path)
    assert later.was_handed(id_of(3), "a", 3)
    assert later.was_handed(id_of(8), "", 1)
    assert not later.was_handed(id_of(9), "a", 2)
    assert (later.doubtful, later.stalls_before) == (3, 77)
    spans_answered(cursor, [])
    cursor.write()
    assert Cursor(tmp_path).doubtful == 0


def test_what_they_tell_was_refused_is_owed_until_one_of_them_is_taken(tmp_path: Path) -> None:
    cursor = Cursor(tmp_path)
    cursor.owe(5)
    lost = Lost(refused=cursor.take_owed())
    parcel = LogParcel(resource=OURS, log=Log(lost, 1), lost=lost)
    logs_refused(cursor, [parcel])
    assert cursor.take_owed() == 5
    logs_taken(cursor, [parcel])
    assert cursor.take_owed() == 0
