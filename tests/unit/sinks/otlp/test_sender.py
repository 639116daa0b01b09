"""The way to an endpoint."""

import pytest

from kvtrace.destination import GRPC, HTTP, Destination
from kvtrace.errors import ExportError
from kvtrace.sinks.otlp.by_grpc import GrpcSender
from kvtrace.sinks.otlp.by_http import HttpSender
from kvtrace.sinks.otlp.sender import open_sender


def to(protocol: str) -> Destination:
    return Destination(signal="logs", protocol=protocol, endpoint="h:1", url="http://h:1")


def test_the_protocol_chooses_the_way() -> None:
    assert isinstance(open_sender(to(GRPC)), GrpcSender)
    assert isinstance(open_sender(to(HTTP)), HttpSender)


def test_settings_that_make_no_sense_are_said_with_what_to_mend(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "zip")
    with pytest.raises(ExportError, match=r"zip.*mend the OTEL_EXPORTER_OTLP_ variables"):
        open_sender(to(GRPC))
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "soon")
    with pytest.raises(ExportError, match="soon"):
        open_sender(to(GRPC))
