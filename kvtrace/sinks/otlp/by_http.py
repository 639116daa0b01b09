"""Sends messages by HTTP: OpenTelemetry's exporter says where and how, we say what.

The exporter is given a session, as its callers may, and asked to send nothing at all. The session
puts our bytes in the place of those, sends them once, and keeps the answer, so that neither the
exporter's own encoding nor its own waiting is in the way.
"""

import gzip
import zlib
from typing import Any

import requests
from google.protobuf.message import DecodeError
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from kvtrace.destination import Destination
from kvtrace.sinks.otlp.answer import Answer, of_http, of_silence, taken

_EXPORTERS: dict[str, Any] = {"logs": OTLPLogExporter, "traces": OTLPSpanExporter}


class HttpSender:
    """One signal's way to its endpoint."""

    def __init__(self, destination: Destination) -> None:
        self._signal = destination.signal
        self._session = _Session()
        exporter = _EXPORTERS[destination.signal]
        self._exporter = exporter(endpoint=destination.url, session=self._session)

    def send(self, message: bytes, limit: float) -> Answer:
        """What the endpoint answers within so many seconds, or within its own timeout."""
        self._session.body, self._session.limit = message, limit
        self._exporter.export(())
        answer = self._session.answer
        if isinstance(answer, Exception):
            return of_silence(answer)
        if 200 <= answer.status_code < 300:
            return self._taken(answer.content)
        return of_http(answer.status_code, answer.reason or "", answer.headers)

    def close(self) -> None:
        """Let go of the connection."""
        self._session.close()

    def _taken(self, body: bytes) -> Answer:
        try:
            if self._signal == "logs":
                logs = ExportLogsServiceResponse.FromString(body).partial_success
                return taken(logs.rejected_log_records, logs.error_message)
            spans = ExportTraceServiceResponse.FromString(body).partial_success
            return taken(spans.rejected_spans, spans.error_message)
        except DecodeError:
            # It was taken, whatever the answer's body says.
            return taken(0, "")


class _Session(requests.Session):
    """Sends our bytes in the place of the exporter's, and tells it that all went well."""

    def __init__(self) -> None:
        super().__init__()
        self.body = b""
        self.limit = 0.0
        self.answer: requests.Response | Exception = RuntimeError("nothing was sent")

    def request(self, *args: Any, **kwargs: Any) -> requests.Response:
        """The exporter's own request, but for what it says and how long it may take."""
        headers = {**self.headers, **(kwargs.get("headers") or {})}
        kwargs["data"] = _packed(self.body, headers)
        kwargs["timeout"] = min(kwargs.get("timeout") or self.limit, self.limit)
        kwargs["allow_redirects"] = False
        try:
            self.answer = super().request(*args, **kwargs)
        except (requests.RequestException, OSError) as error:
            self.answer = error
        well = requests.Response()
        well.status_code = 200
        return well


def _packed(body: bytes, headers: dict[str, Any]) -> bytes:
    """The body as its headers say that it is packed."""
    encoding = next((v for k, v in headers.items() if k.lower() == "content-encoding"), "")
    name = encoding.decode() if isinstance(encoding, bytes) else encoding
    if name == "gzip":
        return gzip.compress(body, 6)
    return zlib.compress(body) if name == "deflate" else body
