"""Where signals go."""

import pytest

from kvtrace.destination import GRPC, HTTP, destinations, disabled
from kvtrace.errors import ExportError


def where(endpoint: str = "", **environ: str) -> dict[str, tuple[str, str | None]]:
    return {it.signal: (it.endpoint, it.url) for it in destinations(environ, endpoint)}


def test_without_an_endpoint_nothing_goes_anywhere() -> None:
    assert where() == {}
    assert where(OTEL_EXPORTER_OTLP_ENDPOINT=" ") == {}


def test_one_endpoint_is_for_both() -> None:
    found = where(OTEL_EXPORTER_OTLP_ENDPOINT="http://c:4317")
    assert found == {"logs": ("http://c:4317", None), "traces": ("http://c:4317", None)}


def test_each_signal_may_have_its_own_or_be_the_only_one() -> None:
    assert where(OTEL_EXPORTER_OTLP_TRACES_ENDPOINT="t") == {"traces": ("t", None)}
    both = where(OTEL_EXPORTER_OTLP_ENDPOINT="b", OTEL_EXPORTER_OTLP_LOGS_ENDPOINT="l")
    assert both == {"logs": ("l", None), "traces": ("b", None)}


def test_a_signal_can_be_switched_off_and_so_can_all() -> None:
    assert set(where("c:4317", OTEL_LOGS_EXPORTER="none")) == {"traces"}
    assert where("c:4317", OTEL_SDK_DISABLED="True") == {}
    assert disabled({"OTEL_SDK_DISABLED": "true"})
    assert not disabled({"OTEL_SDK_DISABLED": "false"})


def test_a_place_named_by_hand_wins_and_is_whole() -> None:
    assert where("c:1", OTEL_EXPORTER_OTLP_LOGS_ENDPOINT="l")["logs"] == ("c:1", "c:1")
    found = where("http://c:2/", OTEL_EXPORTER_OTLP_PROTOCOL=HTTP)
    assert found["logs"] == ("http://c:2/", "http://c:2/v1/logs")
    assert found["traces"] == ("http://c:2/", "http://c:2/v1/traces")


def test_the_protocol_is_grpc_unless_another_is_asked_for() -> None:
    environ = {"OTEL_EXPORTER_OTLP_ENDPOINT": "c", "OTEL_EXPORTER_OTLP_LOGS_PROTOCOL": HTTP}
    assert [it.protocol for it in destinations(environ)] == [HTTP, GRPC]


def test_a_protocol_we_do_not_speak_is_said_to_be_one() -> None:
    with pytest.raises(ExportError, match="http/json"):
        where("c", OTEL_EXPORTER_OTLP_PROTOCOL="http/json")
