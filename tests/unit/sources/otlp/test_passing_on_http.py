"""Passing on over HTTP, to a server in this loop."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import pytest
from google.rpc.status_pb2 import Status

from kvtrace.sources.otlp.decode import Signal
from kvtrace.sources.otlp.limits import Limits
from kvtrace.sources.otlp.passing_on_http import HttpBackend
from kvtrace.sources.otlp.refusal import NotTakenError
from kvtrace.sources.otlp.request import Headers, Request

REQUEST = Request(signal=Signal.LOGS, raw=b"raw \x00 bytes", headers=(("x-scope-orgid", "a"),))


@asynccontextmanager
async def backend(
    *answers: bytes, own: Headers = (), time: float = 5
) -> AsyncIterator[tuple[HttpBackend, list[bytes]]]:
    """A backend whose server gives these answers, one a connection; empty closes it."""
    given: list[bytes] = []
    rest = list(answers)
    closed = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answer = rest.pop(0)
        try:
            while head := (await reader.read(65536)):
                given.append(head)
                if answer == b"":
                    break
                writer.write(answer)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()
            closed.set()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    url = urlsplit(f"http://127.0.0.1:{port}/otlp")
    made = HttpBackend(url, own, Limits(backend_time=time), guarded=False)
    yield made, given
    await made.close()
    server.close()
    await closed.wait()
    await asyncio.sleep(0)


def http(status: int, body: bytes = b"", *, closes: bool = False) -> bytes:
    close = "connection: close\r\n" if closes else ""
    return f"HTTP/1.1 {status} X\r\n{close}content-length: {len(body)}\r\n\r\n".encode() + body


async def test_the_very_bytes_go_to_the_path_below_the_endpoint() -> None:
    async with backend(http(200, b"\x0a\x00"), own=(("authorization", "Bearer t"),)) as (to, given):
        assert await to.send(REQUEST) == b"\x0a\x00"
        head, _, body = given[0].partition(b"\r\n\r\n")
        assert head.startswith(b"POST /otlp/v1/logs HTTP/1.1")
        assert b"x-scope-orgid: a" in head.lower()
        assert b"authorization: Bearer t" in head
        assert body == REQUEST.raw


async def test_a_connection_is_used_again() -> None:
    async with backend(http(200)) as (to, given):
        await to.send(REQUEST)
        await to.send(REQUEST)
        assert len(given) == 2


async def test_one_that_the_backend_closed_meanwhile_is_made_anew() -> None:
    async with backend(http(200, closes=True), http(200)) as (to, given):
        await to.send(REQUEST)
        await to.send(REQUEST)
        assert len(given) == 2


@pytest.mark.parametrize(
    ("answer", "again", "said"),
    [
        (http(503), True, "503"),
        (http(429), True, "429"),
        (http(400, Status(code=3, message="too old").SerializeToString()), False, "too old"),
        (http(401, b"\xff"), False, "401"),
        (b"", True, "did not take it"),
        (b"nonsense\r\n\r\n", True, "did not take it"),
    ],
)
async def test_what_is_not_taken_says_why_and_whether_to_send_again(
    answer: bytes, again: bool, said: str
) -> None:
    async with backend(answer) as (to, _):
        with pytest.raises(NotTakenError, match=said) as refused:
            await to.send(REQUEST)
        assert refused.value.again is again


async def test_a_backend_that_does_not_answer_is_given_up() -> None:
    async with backend(b"HTTP/1.1 200 OK\r\n", time=0.05) as (to, _):
        with pytest.raises(NotTakenError, match="TimeoutError"):
            await to.send(REQUEST)
