"""Passes requests on to a backend over HTTP, on connections that are kept for the next request."""

import asyncio
import ssl
from contextlib import suppress
from typing import Any
from urllib.parse import SplitResult

import h11
from google.protobuf.message import DecodeError
from google.rpc.status_pb2 import Status

from kvtrace import __version__
from kvtrace.sources.otlp.limits import Limits
from kvtrace.sources.otlp.refusal import GRPC_OF, NotTakenError
from kvtrace.sources.otlp.request import Headers, Request, passed_on

KEPT = 8
"""Connections that wait for the next request."""

AGAIN_LATER = (408, 429, 500, 502, 503, 504)
CHUNK = 1 << 16


class _Line:
    """One connection to the backend."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.http = h11.Connection(h11.CLIENT)
        self.used = False

    async def ask(self, head: h11.Request, body: bytes, most: int) -> tuple[int, bytes]:
        """The status and the body of the answer."""
        whole = (self.http.send(head) or b"") + (self.http.send(h11.Data(data=body)) or b"")
        self.writer.write(whole + (self.http.send(h11.EndOfMessage()) or b""))
        await self.writer.drain()
        status, parts, size = 0, [], 0
        while not isinstance(event := await self._next(), h11.EndOfMessage):
            if isinstance(event, h11.Response):
                status = event.status_code
            elif isinstance(event, h11.Data):
                parts.append(bytes(event.data))
                size += len(event.data)
            if size > most or isinstance(event, h11.ConnectionClosed):
                raise ConnectionError("its answer is too long, or breaks off")
        return status, b"".join(parts)

    async def _next(self) -> Any:
        while (event := self.http.next_event()) is h11.NEED_DATA:
            self.http.receive_data(await self.reader.read(CHUNK))
        return event

    async def close(self) -> None:
        self.writer.transport.abort()
        with suppress(OSError):
            await self.writer.wait_closed()


class HttpBackend:
    """Sends to `/v1/…` below the endpoint."""

    def __init__(
        self, url: SplitResult, headers: Headers, limits: Limits, *, guarded: bool
    ) -> None:
        self._host = url.hostname or ""
        self._secure = ssl.create_default_context() if url.scheme == "https" else None
        self._port = url.port or (443 if self._secure else 4318)
        self._path = url.path.rstrip("/")
        self._place = url.netloc
        self._headers = headers
        self._guarded = guarded
        self._limits = limits
        self._kept: list[_Line] = []

    async def send(self, request: Request) -> bytes:
        """The backend's answer; raises NotTakenError where it gave none, or a bad one."""
        try:
            async with asyncio.timeout(self._limits.backend_time):
                status, answer = await self._ask(self._head(request), request.raw)
        except (OSError, h11.ProtocolError) as error:
            said = str(error) or type(error).__name__
            raise NotTakenError(f"{self._place} did not take it: {said}") from error
        if 200 <= status < 300:
            return answer
        raise NotTakenError(
            f"{self._place} did not take it: {_told(answer) or status}",
            GRPC_OF.get(status, 14),
            again=status in AGAIN_LATER,
        )

    async def close(self) -> None:
        """Lets go of all connections."""
        for line in self._kept:
            await line.close()
        self._kept.clear()

    async def _ask(self, head: h11.Request, body: bytes) -> tuple[int, bytes]:
        while True:
            line = self._kept.pop() if self._kept else await self._connected()
            try:
                answer = await line.ask(head, body, self._limits.message)
            except (OSError, h11.ProtocolError):
                await line.close()
                if line.used:
                    # The backend may have closed it meanwhile, which is no answer.
                    continue
                raise
            except asyncio.CancelledError:
                line.writer.transport.abort()
                raise
            await self._keep(line)
            return answer

    async def _connected(self) -> _Line:
        return _Line(*await asyncio.open_connection(self._host, self._port, ssl=self._secure))

    async def _keep(self, line: _Line) -> None:
        with suppress(h11.ProtocolError):
            line.http.start_next_cycle()
            if len(self._kept) < KEPT:
                line.used = True
                self._kept.append(line)
                return
        await line.close()

    def _head(self, request: Request) -> h11.Request:
        given = passed_on(request.headers, self._headers, guarded=self._guarded)
        return h11.Request(
            method="POST",
            target=f"{self._path}/v1/{request.signal.value}",
            headers=[
                ("host", self._place.rpartition("@")[2]),
                ("content-type", "application/x-protobuf"),
                ("content-length", str(len(request.raw))),
                ("user-agent", f"kvtrace/{__version__}"),
                *((name, value) for name, value in given if isinstance(value, str)),
            ],
        )


def _told(answer: bytes) -> str:
    """What an answer that refuses says of it."""
    try:
        return str(Status.FromString(answer).message)[:200]
    except DecodeError:
        return ""
