"""What a path of the HTTP port does: the three export paths, /healthz and /readyz."""

import zlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

import msgspec
from google.rpc.status_pb2 import Status

from kvtrace.errors import WireError
from kvtrace.sources.otlp.access import Access
from kvtrace.sources.otlp.counts import Counts
from kvtrace.sources.otlp.decode import Signal
from kvtrace.sources.otlp.intake import Intake
from kvtrace.sources.otlp.json_form import json_answer, json_status, protobuf_of
from kvtrace.sources.otlp.limits import Limits
from kvtrace.sources.otlp.refusal import AGAIN, Reason, RefusedError
from kvtrace.sources.otlp.request import Headers, Request

PATHS = {f"/v1/{signal.value}": signal for signal in Signal}
PROTOBUF = "application/x-protobuf"
JSON = "application/json"
GZIP = 32 + zlib.MAX_WBITS
"""Asks zlib for gzip's container, or zlib's own, which HTTP calls deflate."""

UNPACKED = ("", "identity")
PACKED = ("gzip", "x-gzip", "deflate")


class Health(Protocol):
    """What knows how the receiver stands."""

    def health(self) -> dict[str, object]:
        """The counts, to be told as JSON."""

    @property
    def is_ready(self) -> bool:
        """Whether a request that came now would be taken."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """The head of one HTTP request."""

    method: str
    path: str
    headers: Mapping[str, str]
    """By name in lower case."""

    @property
    def kind(self) -> str:
        """The media type of its body."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What is sent back."""

    status: int = 200
    kind: str = JSON
    body: bytes = b""
    headers: Headers = ()


ReadBody = Callable[[int], Awaitable[bytes]]
"""Reads the body, of so many bytes at most; raises RefusedError where it is longer."""


class Routes:
    """Answers requests."""

    def __init__(
        self, intake: Intake, counts: Counts, health: Health, access: Access, limits: Limits
    ) -> None:
        self._intake = intake
        self._counts = counts
        self._health = health
        self._access = access
        self._limits = limits

    async def answer(self, asked: Asked, read: ReadBody) -> Answer:
        """What to send back; a refusal is an answer too."""
        try:
            if asked.path in ("/healthz", "/readyz"):
                return self._tell_health(asked)
            return await self._export(asked, read)
        except RefusedError as refusal:
            return self.refused(refusal, asked.kind)

    def refused(self, refusal: RefusedError, kind: str) -> Answer:
        """The refusal as OTLP tells it, in the form that the client speaks; counts it."""
        self._counts.refuse(refusal.reason)
        status = Status(code=refusal.grpc, message=str(refusal)).SerializeToString()
        as_json = kind != PROTOBUF
        extra: list[tuple[str, str]] = []
        if refusal.again:
            extra.append(("retry-after", str(AGAIN)))
        if refusal.reason is Reason.UNAUTHENTICATED:
            extra.append(("www-authenticate", "Bearer"))
        return Answer(
            status=refusal.http,
            kind=JSON if as_json else PROTOBUF,
            body=json_status(status) if as_json else status,
            headers=tuple(extra),
        )

    def _tell_health(self, asked: Asked) -> Answer:
        if asked.method not in ("GET", "HEAD"):
            raise RefusedError(Reason.METHOD, f"{asked.path} can only be asked with GET")
        ready = asked.path == "/healthz" or self._health.is_ready
        return Answer(
            status=200 if ready else 503, body=msgspec.json.encode(self._health.health()) + b"\n"
        )

    async def _export(self, asked: Asked, read: ReadBody) -> Answer:
        signal = PATHS.get(asked.path)
        if signal is None:
            raise RefusedError(Reason.NOT_FOUND, f"there is no {asked.path[:80]}")
        if asked.method != "POST":
            raise RefusedError(Reason.METHOD, f"{asked.path} takes only POST")
        if not self._access.allows(asked.headers.get("authorization")):
            raise RefusedError(Reason.UNAUTHENTICATED, "kvtrace asks for a bearer token")
        if asked.kind not in (PROTOBUF, JSON):
            raise RefusedError(Reason.TYPE, f"send {PROTOBUF} or {JSON}")
        packed = asked.headers.get("content-encoding", "").strip().lower()
        if packed not in UNPACKED + PACKED:
            raise RefusedError(Reason.TYPE, "send it unpacked, or packed with gzip")
        most = self._limits.json if asked.kind == JSON else self._limits.message
        _check_length(asked.headers, most)

        async def receive() -> Request:
            body = await read(most)
            whole = _unpacked(body, most) if packed in PACKED else body
            raw = _protobuf_of(signal, whole) if asked.kind == JSON else whole
            return Request(signal=signal, raw=raw, headers=tuple(asked.headers.items()))

        answer = await self._intake.receive(receive)
        body = json_answer(signal, answer) if asked.kind == JSON else answer
        return Answer(kind=asked.kind, body=body)


def _check_length(headers: Mapping[str, str], most: int) -> None:
    """Refuses what says of itself that it is too long, or says it in two ways, before it comes."""
    length = headers.get("content-length", "0")
    if "transfer-encoding" in headers:
        if "content-length" in headers:
            raise RefusedError(Reason.MALFORMED, "a body with both a length and chunks")
    elif length.isdecimal() and int(length) > most:
        raise RefusedError(Reason.TOO_LARGE, f"a body of more than {most} bytes")


def _protobuf_of(signal: Signal, body: bytes) -> bytes:
    try:
        return protobuf_of(signal, body)
    except WireError as error:
        raise RefusedError(Reason.MALFORMED, str(error)) from error


def _unpacked(body: bytes, most: int) -> bytes:
    """The body, unpacked no further than allowed."""
    unpacking = zlib.decompressobj(GZIP)
    try:
        whole = unpacking.decompress(body, most + 1)
    except zlib.error as error:
        raise RefusedError(Reason.MALFORMED, f"the body cannot be unpacked: {error}") from error
    if len(whole) > most:
        raise RefusedError(Reason.TOO_LARGE, f"a body of more than {most} bytes when unpacked")
    if not unpacking.eof or unpacking.unused_data:
        raise RefusedError(Reason.MALFORMED, "the packed body breaks off, or goes on after its end")
    return whole
