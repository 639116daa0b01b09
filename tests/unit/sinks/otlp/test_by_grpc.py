"""Its settings are those of the environment; how it sends is in the integration tests."""

from types import SimpleNamespace

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import ResourceLogs

from kvtrace.destination import GRPC, Destination
from kvtrace.sinks.otlp.by_grpc import GrpcSender, _method


def test_a_place_named_by_hand_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://elsewhere:1")
    named = Destination(signal="logs", protocol=GRPC, endpoint="h:2", url="http://h:2")
    told = Destination(signal="traces", protocol=GRPC, endpoint="http://elsewhere:1")
    assert [GrpcSender(it)._exporter._endpoint for it in (named, told)] == ["h:2", "elsewhere:1"]


def test_an_older_exporter_that_shows_no_channel_is_handed_messages() -> None:
    seen: list[tuple[object, dict[str, object]]] = []
    stub = SimpleNamespace(Export=lambda request, **how: seen.append((request, how)))
    message = ExportLogsServiceRequest(resource_logs=[ResourceLogs(schema_url="s")])
    _method(SimpleNamespace(_client=stub), "logs")(message.SerializeToString(), timeout=1.0)
    assert seen == [(message, {"timeout": 1.0})]
