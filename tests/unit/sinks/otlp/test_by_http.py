"""Its settings are those of the environment; how it sends is in the integration tests."""

import pytest

from kvtrace.destination import HTTP, Destination
from kvtrace.sinks.otlp.by_http import HttpSender


def test_each_signal_has_its_own_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h:1")
    logs = HttpSender(Destination(signal="logs", protocol=HTTP, endpoint="http://h:1"))
    traces = HttpSender(Destination(signal="traces", protocol=HTTP, endpoint="http://h:1"))
    assert logs._exporter._endpoint == "http://h:1/v1/logs"
    assert traces._exporter._endpoint == "http://h:1/v1/traces"
