"""Endpoints for tests: they keep all that comes as it came, and answer as they are told."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import grpc
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

LOGS = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"
TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"


class Refusal:
    """A gRPC status, and what goes with it."""

    def __init__(self, code: grpc.StatusCode, words: str = "", trailers: Any = ()) -> None:
        self.code, self.words, self.trailers = code, words, trailers


class Kept:
    """All that came, in order; threads may share it."""

    def __init__(self) -> None:
        self.came = threading.Condition()
        self.bodies: list[tuple[str, bytes]] = []
        self.headers: list[dict[str, str]] = []
        self.answers: dict[str, list[Any]] = {LOGS: [], TRACES: []}
        """What to answer next: bytes, a Refusal or a number of HTTP; else that all is well."""

        self.always: dict[str, Any] = {}

    def take(self, method: str, body: bytes, headers: dict[str, str]) -> Any:
        """Keep it, if the answer is that it was taken; the answer."""
        with self.came:
            queue = self.answers[method]
            answer = queue.pop(0) if queue else self.always.get(method, b"")
            if isinstance(answer, bytes):
                self.bodies.append((method, body))
                self.headers.append(headers)
            self.came.notify_all()
            return answer

    def wait(self, met: Any, seconds: float = 60.0) -> None:
        """Wait until it is so."""
        with self.came:
            assert self.came.wait_for(met, seconds), "it did not come"

    @property
    def logs(self) -> list[tuple[dict[str, Any], dict[str, Any], Any]]:
        """Each log record: attributes of its resource, its own, and itself."""
        found = []
        for method, body in list(self.bodies):
            if method == LOGS:
                for one in ExportLogsServiceRequest.FromString(body).resource_logs:
                    whose = attributes(one.resource)
                    found += [
                        (whose, attributes(log), log)
                        for scope in one.scope_logs
                        for log in scope.log_records
                    ]
        return found

    @property
    def spans(self) -> list[tuple[dict[str, Any], dict[str, Any], Any]]:
        """Each span: attributes of its resource, its own, and itself."""
        found = []
        for method, body in list(self.bodies):
            if method == TRACES:
                for one in ExportTraceServiceRequest.FromString(body).resource_spans:
                    whose = attributes(one.resource)
                    found += [
                        (whose, attributes(span), span)
                        for scope in one.scope_spans
                        for span in scope.spans
                    ]
        return found

    def named(self, name: str) -> list[tuple[dict[str, Any], dict[str, Any], Any]]:
        """The log records of that event."""
        return [one for one in self.logs if one[1].get("event.name") == name]


def attributes(message: Any) -> dict[str, Any]:
    """The attributes of anything that has some."""
    return {it.key: getattr(it.value, it.value.WhichOneof("value")) for it in message.attributes}


@contextmanager
def grpc_sink(
    kept: Kept, port: int = 0, credentials: grpc.ServerCredentials | None = None
) -> Iterator[int]:
    """Listen by gRPC; the port."""
    server = grpc.server(ThreadPoolExecutor(4), options=[("grpc.so_reuseport", 0)])
    server.add_generic_rpc_handlers((_Handler(kept),))
    where = f"127.0.0.1:{port}"
    if credentials is None:
        port = server.add_insecure_port(where)
    else:
        port = server.add_secure_port(where, credentials)
    server.start()
    try:
        yield port
    finally:
        server.stop(0).wait()


class _Handler(grpc.GenericRpcHandler):  # type: ignore[misc]
    def __init__(self, kept: Kept) -> None:
        self._kept = kept

    def service(self, details: Any) -> Any:
        def export(body: bytes, context: Any) -> bytes:
            headers = {key: str(value) for key, value in context.invocation_metadata()}
            answer = self._kept.take(details.method, body, headers)
            if isinstance(answer, Refusal):
                context.set_trailing_metadata(answer.trailers)
                context.abort(answer.code, answer.words)
            return bytes(answer)

        return grpc.unary_unary_rpc_method_handler(export)


@contextmanager
def http_sink(kept: Kept) -> Iterator[int]:
    """Listen by HTTP; the port."""

    class Asked(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            method = {"/v1/logs": LOGS, "/v1/traces": TRACES}[self.path]
            headers = {key.lower(): value for key, value in self.headers.items()}
            answer = kept.take(method, body, headers)
            well = isinstance(answer, bytes)
            self.send_response(200 if well else answer)
            self.send_header("Content-Length", str(len(answer) if well else 0))
            self.end_headers()
            if well:
                self.wfile.write(answer)

        def log_message(self, *args: object) -> None:
            """Be quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Asked)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def partly(method: str, rejected: int, words: str) -> bytes:
    """The answer that some were not taken."""
    logs = ExportLogsServiceResponse()
    logs.partial_success.rejected_log_records = rejected
    logs.partial_success.error_message = words
    spans = ExportTraceServiceResponse()
    spans.partial_success.rejected_spans = rejected
    spans.partial_success.error_message = words
    answer = logs if method == LOGS else spans
    return bytes(answer.SerializeToString())
