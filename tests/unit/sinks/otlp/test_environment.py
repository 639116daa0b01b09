"""What the environment says of whose signals are sent."""

import pytest

from kvtrace.sinks.otlp.environment import told_attributes


def test_names_and_attributes_are_those_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "cluster=west,k8s.pod.name=p%2D0")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "prefill")
    found = told_attributes()
    assert found["service.name"] == "prefill"
    assert (found["cluster"], found["k8s.pod.name"]) == ("west", "p-0")
    assert found["telemetry.sdk.language"] == "python"


def test_without_a_name_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTEL_SERVICE_NAME", raising=False)
    monkeypatch.delenv("OTEL_RESOURCE_ATTRIBUTES", raising=False)
    assert "service.name" not in told_attributes()
