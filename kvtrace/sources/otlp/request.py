"""One export request, however it came."""

from typing import Protocol, TypeAlias

import msgspec

from kvtrace.sources.otlp.decode import Signal

Headers: TypeAlias = tuple[tuple[str, str | bytes], ...]

KEPT_BACK = frozenset(
    (
        "accept",
        "accept-encoding",
        "connection",
        "content-encoding",
        "content-length",
        "content-type",
        "expect",
        "host",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "user-agent",
    )
)
"""Headers that belong to one connection and are not passed on."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What a client sent."""

    signal: Signal
    raw: bytes
    """OTLP's protobuf."""

    headers: Headers = ()
    """The client's own, to be passed on with it."""


class Backend(Protocol):
    """Takes requests on to somebody else."""

    async def send(self, request: Request) -> bytes:
        """The answer, as protobuf; raises RefusedError where it did not take the request."""

    async def close(self) -> None:
        """Lets go of all connections."""


def passed_on(headers: Headers, own: Headers, *, guarded: bool) -> Headers:
    """The headers to pass on: the client's, and our own in place of those of the same name.

    A client's authorization was for us where we ask for one.
    """
    ours = {name for name, _ in own}
    if guarded:
        ours |= {"authorization"}
    kept = tuple(
        (name, value)
        for name, value in headers
        if name not in ours
        and name not in KEPT_BACK
        and not name.startswith(("grpc-", ":", "proxy-"))
    )
    return kept + own
