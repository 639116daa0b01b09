"""OTLP over gRPC: the three export methods over raw bytes; runs in the receiver's loop.

They are served as streams of one message, which is the same on the wire, because only then can a
client be refused before its message is read, and be given a time within which it must arrive.
"""

import asyncio
from typing import Any

from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status

from kvtrace.errors import ReceiverError
from kvtrace.sources.otlp.access import Access, credentials_of
from kvtrace.sources.otlp.address import Address
from kvtrace.sources.otlp.counts import Counts
from kvtrace.sources.otlp.decode import Signal
from kvtrace.sources.otlp.intake import Intake
from kvtrace.sources.otlp.limits import Limits
from kvtrace.sources.otlp.quiet import grpc
from kvtrace.sources.otlp.refusal import AGAIN, Reason, RefusedError
from kvtrace.sources.otlp.request import Request
from kvtrace.sources.otlp.rpc_places import Places

METHODS = {
    "/opentelemetry.proto.collector.logs.v1.LogsService/Export": Signal.LOGS,
    "/opentelemetry.proto.collector.trace.v1.TraceService/Export": Signal.TRACES,
    "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export": Signal.METRICS,
}

DETAILS = "grpc-status-details-bin"
STATUSES = {code.value[0]: code for code in grpc.StatusCode}


class RpcServer:
    """Listens from `start` to `stop`."""

    def __init__(self, intake: Intake, counts: Counts, access: Access, limits: Limits) -> None:
        self._intake = intake
        self._counts = counts
        self._access = access
        self._limits = limits
        self._places = Places(limits.connections)
        self._looking: asyncio.Task[None] | None = None
        self._server: Any = None

    async def start(self, at: Address) -> int:
        """Listens there; gives the port. Raises ReceiverError where that cannot be."""
        credentials = credentials_of(self._access)
        served = [self._methods(path, signal) for path, signal in METHODS.items()]
        self._server = grpc.aio.server(handlers=served, options=_options(self._limits))
        try:
            if credentials is None:
                port = self._server.add_insecure_port(str(at))
            else:
                port = self._server.add_secure_port(str(at), credentials)
        except RuntimeError as error:
            raise ReceiverError(f"{at} cannot be listened on") from error
        await self._server.start()
        self._looking = asyncio.create_task(self._places.keep_free(port))
        return int(port)

    async def stop(self, grace: float) -> None:
        """Takes no more, and gives what is under way so many seconds."""
        if self._looking is not None:
            self._looking.cancel()
        if self._server is not None:
            await self._server.stop(grace)

    def _methods(self, path: str, signal: Signal) -> Any:
        """What serves that method."""

        async def answer(_: Any, context: Any) -> bytes | None:
            peer = context.peer()
            self._places.begins(peer)
            try:
                return await self._answer(signal, context)
            except RefusedError as refusal:
                self._counts.refuse(refusal.reason)
                await context.abort(
                    STATUSES[refusal.grpc], str(refusal), trailing_metadata=_trailers(refusal)
                )
            finally:
                self._places.ends(peer)
            return None

        _, name, method = path.split("/")
        served = {method: grpc.stream_unary_rpc_method_handler(answer)}
        return grpc.method_handlers_generic_handler(name, served)

    async def _answer(self, signal: Signal, context: Any) -> bytes:
        headers = tuple((key, value) for key, value in context.invocation_metadata() or ())
        if not self._access.allows(dict(headers).get("authorization")):
            raise RefusedError(Reason.UNAUTHENTICATED, "kvtrace asks for a bearer token")

        async def read() -> Request:
            raw = await context.read()
            if not isinstance(raw, bytes):
                raise RefusedError(Reason.CUT_OFF, "the message did not arrive, or is too large")
            return Request(signal=signal, raw=raw, headers=headers)

        return await self._intake.receive(read)


def _options(limits: Limits) -> list[tuple[str, int]]:
    return [
        # Else a second receiver would share the port, and each would see some of the events.
        ("grpc.so_reuseport", 0),
        ("grpc.max_receive_message_length", limits.message),
        ("grpc.max_metadata_size", limits.headers),
        ("grpc.absolute_max_metadata_size", limits.headers),
        ("grpc.max_concurrent_streams", limits.streams),
        ("grpc.max_allowed_incoming_connections", limits.connections),
        ("grpc.max_connection_idle_ms", int(limits.idle * 1000)),
        ("grpc.max_connection_age_ms", int(limits.age * 1000)),
        ("grpc.max_connection_age_grace_ms", int(limits.message_time * 1000)),
        ("grpc.server_handshake_timeout_ms", int(limits.handshake * 1000)),
        # A client whose host is gone is noticed, though it said nothing.
        ("grpc.keepalive_time_ms", 30_000),
        ("grpc.keepalive_timeout_ms", 10_000),
        ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ]


def _trailers(refusal: RefusedError) -> tuple[tuple[str, bytes], ...]:
    """When to send again, where that makes sense."""
    if not refusal.again:
        return ()
    told = Status(code=refusal.grpc, message=str(refusal))
    wait = RetryInfo()
    wait.retry_delay.seconds = AGAIN
    told.details.add().Pack(wait)
    return ((DETAILS, told.SerializeToString()),)
