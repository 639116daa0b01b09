"""One HTTP connection, over streams in memory."""

import asyncio
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvtrace.sources.otlp.http_connection import HttpConnection
from kvtrace.sources.otlp.http_routes import Answer, Asked, ReadBody
from kvtrace.sources.otlp.limits import Limits
from kvtrace.sources.otlp.refusal import RefusedError

HURRIED = Limits(idle=0.01, header_time=0.01, message_time=0.01, answer_time=0.01)
POST = b"POST /v1/logs HTTP/1.1\r\nhost: h\r\n"


class Line:
    """What was written, and whether it was closed."""

    def __init__(self) -> None:
        self.written = b""
        self.closed = False
        self.transport = self

    def write(self, some: bytes) -> None:
        self.written += some

    async def drain(self) -> None:
        pass

    def can_write_eof(self) -> bool:
        return False

    def close(self) -> None:
        self.closed = True

    async def wait_closed(self) -> None:
        pass

    def abort(self) -> None:
        self.closed = True


class Echo:
    """Answers with the body, or with why it could not be read."""

    def __init__(self, most: int = 100) -> None:
        self.most = most
        self.asked: list[Asked] = []

    async def answer(self, asked: Asked, read: ReadBody) -> Answer:
        self.asked.append(asked)
        try:
            async with asyncio.timeout(0.05):
                return Answer(body=b"got " + await read(self.most))
        except RefusedError as refusal:
            return self.refused(refusal, "")
        except TimeoutError:
            return Answer(status=408)

    def refused(self, refusal: RefusedError, kind: str) -> Answer:
        return Answer(status=refusal.http, body=str(refusal).encode())


async def said(sent: bytes, *, ends: bool = True, echo: Echo | None = None) -> bytes:
    """All that is answered to these bytes."""
    reader, line = asyncio.StreamReader(), Line()
    reader.feed_data(sent)
    if ends:
        reader.feed_eof()
    limits = Limits() if ends else HURRIED
    connection = HttpConnection(reader, line, echo or Echo(), limits)  # type: ignore[arg-type]
    await connection.serve()
    assert line.closed
    return line.written


def statuses(answered: bytes) -> list[int]:
    return [int(number) for number in re.findall(rb"HTTP/1\.1 (\d+)", answered)]


async def test_one_request_after_the_other_on_one_connection() -> None:
    answered = await said((POST + b"content-length: 3\r\n\r\none") * 2)
    assert statuses(answered) == [200, 200]
    assert answered.count(b"got one") == 2


async def test_a_body_in_chunks_is_read() -> None:
    answered = await said(POST + b"transfer-encoding: chunked\r\n\r\n3\r\none\r\n0\r\n\r\n")
    assert b"got one" in answered


async def test_a_client_that_asks_first_is_told_to_go_on() -> None:
    head = POST + b"content-length: 3\r\nexpect: 100-continue\r\n\r\n"
    answered = await said(head, ends=False)
    assert statuses(answered)[0] == 100


async def test_a_body_that_is_too_long_is_answered_and_the_connection_ended() -> None:
    answered = await said(POST + b"content-length: 500\r\n\r\n" + b"x" * 500)
    assert statuses(answered) == [413]
    assert b"connection: close" in answered.lower()


async def test_a_client_that_goes_away_in_the_middle_of_a_body_harms_nothing() -> None:
    assert statuses(await said(POST + b"content-length: 50\r\n\r\nhalf")) == [400]


async def test_a_client_that_stops_in_the_middle_of_a_body_is_given_up() -> None:
    assert statuses(await said(POST + b"content-length: 50\r\n\r\nhalf", ends=False)) == [408]


@pytest.mark.parametrize("sent", [b"", b"POST /v1/logs HTTP/1.1\r\nhost:"])
async def test_a_client_that_says_nothing_more_is_left(sent: bytes) -> None:
    assert await said(sent, ends=False) == b""


async def test_headers_without_end_are_refused() -> None:
    assert statuses(await said(POST + b"x: " + b"y" * 40_000)) == [431]


async def test_what_is_no_http_is_refused() -> None:
    assert statuses(await said(b"\x16\x03\x01\x02\x00 hello\r\n\r\n")) == [400]
    assert statuses(await said(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))[-1] == 400


async def test_two_lengths_that_differ_are_refused() -> None:
    two = POST + b"content-length: 3\r\ncontent-length: 4\r\n\r\nabcd"
    assert statuses(await said(two)) == [400]


async def test_names_of_headers_have_no_case_and_the_query_is_no_part_of_the_path() -> None:
    echo = Echo()
    await said(b"GET /healthz?x=1 HTTP/1.1\r\nHOST: h\r\nX-A: 1\r\nx-a: 2\r\n\r\n", echo=echo)
    (asked,) = echo.asked
    assert (asked.path, asked.headers["x-a"]) == ("/healthz", "1, 2")


async def test_head_is_answered_without_a_body() -> None:
    answered = await said(b"HEAD /healthz HTTP/1.1\r\nhost: h\r\n\r\n")
    assert answered.endswith(b"\r\n\r\n")


@given(st.lists(st.sampled_from((POST, b"\r\n", b"content-length: 3\r\n", b"0\r\n")), max_size=6))
def test_any_pieces_are_answered_or_left(pieces: list[bytes]) -> None:
    asyncio.run(said(b"".join(pieces)))


@given(st.binary(max_size=200))
def test_any_bytes_are_answered_or_left(sent: bytes) -> None:
    asyncio.run(said(sent))
