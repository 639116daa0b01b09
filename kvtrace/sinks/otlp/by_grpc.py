"""Sends messages by gRPC, over the channel, headers and credentials of OpenTelemetry's exporter."""

from collections.abc import Callable
from typing import Any

from grpc import RpcError, StatusCode
from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from kvtrace.destination import Destination
from kvtrace.sinks.otlp.answer import Answer, of_status, taken

_EXPORTERS: dict[str, Any] = {"logs": OTLPLogExporter, "traces": OTLPSpanExporter}
_METHODS = {
    "logs": "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
    "traces": "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
}
_REQUESTS: dict[str, Any] = {"logs": ExportLogsServiceRequest, "traces": ExportTraceServiceRequest}
_RESPONSES: dict[str, Any] = {
    "logs": ExportLogsServiceResponse,
    "traces": ExportTraceServiceResponse,
}


class GrpcSender:
    """One signal's way to its endpoint."""

    def __init__(self, destination: Destination) -> None:
        self._destination = destination
        self._exporter: Any = None
        self._export: Any = None
        self._broken = False
        self._connect()

    def send(self, message: bytes, limit: float) -> Answer:
        """What the endpoint answers within so many seconds, or within its own timeout."""
        if self._broken:
            # A channel that failed waits ever longer before it connects again; how long to wait is
            # for us to say.
            self._connect()
        exporter = self._exporter
        timeout = min(exporter._timeout, limit)
        try:
            response = self._export(message, metadata=exporter._headers, timeout=timeout)
        except RpcError as error:
            told: Any = error
            self._broken = told.code() is StatusCode.UNAVAILABLE
            return of_status(told.code(), told.details() or "", told.trailing_metadata() or ())
        told = response.partial_success
        kind = "rejected_log_records" if self._destination.signal == "logs" else "rejected_spans"
        return taken(getattr(told, kind), told.error_message)

    def close(self) -> None:
        """End the channel; a call that is under way is cut off."""
        channel = getattr(self._exporter, "_channel", None)
        if channel is not None:
            channel.close()

    def _connect(self) -> None:
        self.close()
        # What is left of the old one would hand its waiting on to the new one.
        self._exporter = self._export = None
        self._broken = False
        signal = self._destination.signal
        self._exporter = _EXPORTERS[signal](endpoint=self._destination.url)
        self._export = _method(self._exporter, signal)


def _method(exporter: Any, signal: str) -> Callable[..., Any]:
    """What calls the endpoint with a message's bytes, over the exporter's own channel."""
    channel = getattr(exporter, "_channel", None)
    if channel is not None:
        return channel.unary_unary(  # type: ignore[no-any-return]
            _METHODS[signal], response_deserializer=_RESPONSES[signal].FromString
        )
    # An older exporter shows no channel, and its stub takes messages alone.
    parse = _REQUESTS[signal].FromString
    return lambda message, **how: exporter._client.Export(parse(message), **how)
