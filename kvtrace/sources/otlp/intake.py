"""Takes in export requests, whichever way they came; runs in the receiver's loop alone.

A request is acknowledged only when its news are in the inbox, and, where all is passed on to a
backend, only when that has acknowledged it too.
"""

import asyncio
from collections.abc import Awaitable, Callable

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from kvtrace.sources.otlp.counts import Counts
from kvtrace.sources.otlp.decode import Decoder, Signal
from kvtrace.sources.otlp.inbox import Inbox
from kvtrace.sources.otlp.limits import Limits
from kvtrace.sources.otlp.refusal import Reason, RefusedError
from kvtrace.sources.otlp.request import Backend, Request
from kvtrace.sources.otlp.tally import Tally
from kvtrace.words import many


class Intake:
    """Decodes one request after the other, so that only one unfolds in memory at a time."""

    def __init__(
        self, inbox: Inbox, counts: Counts, limits: Limits, backend: Backend | None = None
    ) -> None:
        self._inbox = inbox
        self._counts = counts
        self._limits = limits
        self._backend = backend
        self._decoder = Decoder()
        self._turn = asyncio.Lock()
        self._room = asyncio.Semaphore(limits.reading)
        self._under_way = 0
        self._stopping = False

    @property
    def is_ready(self) -> bool:
        """Whether a request that came now would be taken."""
        return not self._stopping and not self._inbox.is_full

    def stop(self) -> None:
        """Take no further request."""
        self._stopping = True

    async def receive(self, read: Callable[[], Awaitable[Request]]) -> bytes:
        """Reads a request when there is room for it, and gives the answer as protobuf.

        Raises RefusedError where it does not come in time, or is not taken.
        """
        if self._under_way >= self._limits.calls:
            raise RefusedError(Reason.BUSY, "too many requests under way: send again later")
        self._under_way += 1
        try:
            async with asyncio.timeout(self._limits.message_time) as limit, self._room:
                request = await read()
                limit.reschedule(None)
                return await self._take(request)
        except TimeoutError:
            raise RefusedError(Reason.SLOW, "the message did not arrive in time") from None
        finally:
            self._under_way -= 1

    async def _take(self, request: Request) -> bytes:
        if self._stopping:
            raise RefusedError(Reason.STOPPING, "kvtrace is ending: send again later")
        if self._inbox.is_full:
            raise RefusedError(Reason.FULL, "more arrives than can be taken in: send again later")
        async with self._turn:
            tally = await self._decoded(request)
        if self._backend is None:
            answer = _answer(request.signal, tally)
        else:
            # The client talks to the backend: what we alone cannot read is no concern of it.
            answer = await self._passed_on(self._backend, request)
        self._counts.requests[request.signal] += 1
        return answer

    async def _passed_on(self, backend: Backend, request: Request) -> bytes:
        try:
            answer = await backend.send(request)
        except RefusedError:
            self._counts.not_forwarded += 1
            raise
        self._counts.forwarded += 1
        return answer

    async def _decoded(self, request: Request) -> Tally:
        tally = Tally()
        rest = len(request.raw)
        try:
            for news in self._decoder.read(request.signal, request.raw, tally):
                # The whole message counts with its first news, so that none waits uncounted.
                self._inbox.put(news, rest)
                rest = 0
                await asyncio.sleep(0)
        finally:
            self._counts.received.add(tally)
        return tally


def _answer(signal: Signal, tally: Tally) -> bytes:
    """Nothing where all was well; else how many records were not."""
    if not tally.rejected:
        return b""
    said = f"{many(tally.rejected, 'record')} of kvtrace could not be read"
    match signal:
        case Signal.LOGS:
            logs = ExportLogsServiceResponse()
            logs.partial_success.rejected_log_records = tally.rejected
            logs.partial_success.error_message = said
            return bytes(logs.SerializeToString())
        case Signal.TRACES:
            traces = ExportTraceServiceResponse()
            traces.partial_success.rejected_spans = tally.rejected
            traces.partial_success.error_message = said
            return bytes(traces.SerializeToString())
        case Signal.METRICS:
            return bytes(ExportMetricsServiceResponse().SerializeToString())
