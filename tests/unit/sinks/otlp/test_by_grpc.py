"""Its settings are those of the environment; how it sends is in the integration tests."""

import pytest

from kvtrace.destination import GRPC, Destination
from kvtrace.sinks.otlp.by_grpc import GrpcSender


def test_a_place_named_by_hand_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://elsewhere:1")
    named = Destination(signal="logs", protocol=GRPC, endpoint="h:2", url="http://h:2")
    told = Destination(signal="traces", protocol=GRPC, endpoint="http://elsewhere:1")
    assert [GrpcSender(it)._exporter._endpoint for it in (named, told)] == ["h:2", "elsewhere:1"]
