"""A real collector between sender and receiver changes nothing of what a recording tells."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kvtrace.destination import GRPC, destinations
from kvtrace.moments import Record
from kvtrace.signals.logs import Log, Resource, resource_of
from kvtrace.sinks.otlp.answer import Fate
from kvtrace.sinks.otlp.messages import Messages
from kvtrace.sinks.otlp.sender import open_sender
from tests.integration.rotel import collector, to_otlp, why_not
from tests.integration.sink import LOGS, TRACES, Kept, grpc_sink
from tests.otlp_rules import check_logs, check_traces
from tests.unit.signals.telling import WHOLE, recorded, spans_of

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())

NOW = 1_800_000_000_000_000_000
BATCH = 512


def batches(items: list[Any]) -> Iterator[list[Any]]:
    for first in range(0, len(items), BATCH):
        yield items[first : first + BATCH]


def resources(records: list[Record]) -> dict[str, Resource]:
    found: dict[str, Resource] = {}
    for one in records:
        facts = {"process.pid": 7, "host.name": "here"}
        found.setdefault(one.process, resource_of(one.process, one.engine, one.clock, facts))
    return found


def send(port: int, requests: dict[str, list[Any]]) -> None:
    where = f"http://127.0.0.1:{port}"
    for one in destinations({"OTEL_EXPORTER_OTLP_PROTOCOL": GRPC}, where):
        sender = open_sender(one)
        try:
            for request in requests[one.signal]:
                assert sender.send(request, 10).fate is Fate.TAKEN
        finally:
            sender.close()


def essence(found: list[tuple[dict[str, Any], dict[str, Any], Any]]) -> list[str]:
    """Each with all that it says, wherever it stands."""
    return sorted(repr((sorted(whose.items()), str(message))) for whose, _, message in found)


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.name)
def test_what_comes_out_of_a_collector_is_what_went_in(path: Path, tmp_path: Path) -> None:
    clock, moments = recorded(path)
    records = [moment.news for moment in moments if isinstance(moment.news, Record)]
    whose = resources(records)
    logs = [(whose[one.process], Log(one, NOW)) for one in records]
    spans = [(whose[one.process], one) for one in spans_of(moments, clock=clock)]
    pack = Messages()
    requests = {
        "logs": [pack.logs(batch) for batch in batches(logs)],
        "traces": [pack.spans(batch) for batch in batches(spans)],
    }
    sent = Kept()
    sent.bodies += [(LOGS, request) for request in requests["logs"]]
    sent.bodies += [(TRACES, request) for request in requests["traces"]]
    came = Kept()
    with grpc_sink(came) as sink, collector(to_otlp(sink), tmp_path / "rotel.log") as port:
        send(port, requests)
        came.wait(lambda: (len(came.logs), len(came.spans)) == (len(logs), len(spans)), 30)
    for method, body in came.bodies:
        (check_logs if method == LOGS else check_traces)(body)
    assert essence(came.logs) == essence(sent.logs)
    assert essence(came.spans) == essence(sent.spans)
