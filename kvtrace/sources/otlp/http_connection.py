"""One HTTP connection: h11 reads and writes its bytes, and every wait has an end."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import h11

from kvtrace.sources.otlp.http_routes import Answer, Asked, Routes
from kvtrace.sources.otlp.limits import Limits
from kvtrace.sources.otlp.refusal import Reason, RefusedError

CHUNK = 1 << 16
LINGER = 2 * Limits().message
"""Bytes that are read and thrown away after a refusal: who is cut off while it sends a body that is
somewhat too long never reads why."""

LINGER_TIME = 3
"""Seconds for that at most."""


class HttpConnection:
    """Serves one request after the other until either side has enough."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        routes: Routes,
        limits: Limits,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._routes = routes
        self._limits = limits
        self.idle_since: float | None = None
        """Since when, by the loop's clock, it waits for a request; None while it serves one."""

        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=limits.headers)

    async def serve(self) -> None:
        """Ends when the connection does; whatever the client does, it raises nothing."""
        with suppress(OSError, TimeoutError, h11.ProtocolError):
            while await self._one():
                self._http.start_next_cycle()
            await self._linger()
        self._writer.close()
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(self._limits.answer_time):
                await self._writer.wait_closed()
        self._writer.transport.abort()

    def cut(self) -> None:
        """End it at once."""
        self._writer.transport.abort()

    async def _one(self) -> bool:
        """Serves one request; whether there may be another."""
        if not await self._begins():
            return False
        try:
            async with asyncio.timeout(self._limits.header_time):
                event = await self._next()
        except h11.RemoteProtocolError as error:
            await self._refuse(error)
            return False
        if not isinstance(event, h11.Request):
            return False
        asked = _asked(event)
        await self._send(asked, await self._routes.answer(asked, self._body))
        return self._http.our_state is h11.DONE and self._http.their_state is h11.DONE

    async def _begins(self) -> bool:
        """Whether another request begins before it has been silent for too long."""
        if self._http.trailing_data[0]:
            return True
        self.idle_since = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(self._limits.idle):
                first = await self._reader.read(CHUNK)
        finally:
            self.idle_since = None
        if first:
            self._http.receive_data(first)
        return bool(first)

    async def _next(self) -> Any:
        while True:
            event = self._http.next_event()
            if event is not h11.NEED_DATA:
                return event
            if self._http.they_are_waiting_for_100_continue:
                go_on = h11.InformationalResponse(status_code=100, headers=[])
                await self._write(self._http.send(go_on))
            self._http.receive_data(await self._reader.read(CHUNK))

    async def _body(self, most: int) -> bytes:
        """The body of the present request."""
        parts: list[bytes] = []
        size = 0
        try:
            while isinstance(event := await self._next(), h11.Data):
                parts.append(bytes(event.data))
                size += len(event.data)
                if size > most:
                    raise RefusedError(Reason.TOO_LARGE, f"a body of more than {most} bytes")
        except (OSError, h11.RemoteProtocolError) as error:
            raise RefusedError(Reason.CUT_OFF, "the body breaks off, or is malformed") from error
        return b"".join(parts)

    async def _send(self, asked: Asked, answer: Answer) -> None:
        if self._http.their_state is h11.SEND_BODY:
            # What is left of a refused request may be long; an empty rest is passed over.
            close: Iterable[tuple[str, str]] = (("connection", "close"),)
        else:
            close = ()
        head = h11.Response(
            status_code=answer.status,
            headers=[
                ("content-type", answer.kind),
                ("content-length", str(len(answer.body))),
                *((name, str(value)) for name, value in answer.headers),
                *close,
            ],
        )
        whole = self._http.send(head) or b""
        if asked.method != "HEAD":
            whole += self._http.send(h11.Data(data=answer.body)) or b""
        whole += self._http.send(h11.EndOfMessage()) or b""
        await self._write(whole)

    async def _refuse(self, error: h11.RemoteProtocolError) -> None:
        """Answers what is no HTTP."""
        reason = Reason.HEADERS if error.error_status_hint == 431 else Reason.MALFORMED
        answer = self._routes.refused(
            RefusedError(reason, f"not HTTP as it should be: {error}"), ""
        )
        if self._http.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            await self._send(Asked(method="", path="", headers={}), answer)

    async def _write(self, whole: bytes | None) -> None:
        if whole:
            self._writer.write(whole)
            async with asyncio.timeout(self._limits.answer_time):
                await self._writer.drain()

    async def _linger(self) -> None:
        """Reads on for a while: closing at once would throw away an answer not yet read."""
        if self._http.our_state is not h11.MUST_CLOSE:
            return
        if self._writer.can_write_eof():
            self._writer.write_eof()
        async with asyncio.timeout(LINGER_TIME):
            left = LINGER
            while left > 0 and (read := await self._reader.read(CHUNK)):
                left -= len(read)


def _asked(event: h11.Request) -> Asked:
    """The request's head; of a header that came twice, both, as HTTP joins them."""
    headers: dict[str, str] = {}
    for name, value in event.headers:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    target = event.target.decode("latin-1")
    return Asked(
        method=event.method.decode("latin-1"), path=target.partition("?")[0], headers=headers
    )
