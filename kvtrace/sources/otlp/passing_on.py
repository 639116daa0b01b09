"""Passes requests on to a backend, byte for byte, over gRPC or HTTP; runs in the receiver's loop.

Nothing waits here: a request that the backend does not take is refused, so that its sender keeps
it. However the request came, its protobuf is the same for gRPC and for HTTP.
"""

from typing import Any
from urllib.parse import SplitResult, urlsplit

import msgspec

from kvtrace.errors import ReceiverError
from kvtrace.sources.otlp.limits import Limits
from kvtrace.sources.otlp.passing_on_http import HttpBackend
from kvtrace.sources.otlp.quiet import grpc
from kvtrace.sources.otlp.refusal import NotTakenError
from kvtrace.sources.otlp.request import Backend, Headers, Request, passed_on
from kvtrace.sources.otlp.rpc import DETAILS, METHODS

GRPC = "grpc"
HTTP = "http/protobuf"


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """Where all that is received goes on to."""

    url: str
    """`http://host:4317`, or https for TLS."""

    protocol: str
    headers: Headers = ()
    """Added to each request, such as an authorization."""


def target_of(endpoint: str, protocol: str | None, headers: Headers) -> Target:
    """What an endpoint means; without a protocol, port 4318 and a path mean HTTP, others gRPC.

    Raises ReceiverError.
    """
    url = endpoint if "://" in endpoint else f"http://{endpoint}"
    try:
        parts = urlsplit(url)
        port = parts.port
        (parts.hostname or "").encode("idna")
    except ValueError as error:
        raise _strange(endpoint) from error
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.username:
        raise _strange(endpoint)
    if port == 0 or any(sign.isspace() for sign in endpoint):
        raise _strange(endpoint)
    web = port == 4318 or parts.path.strip("/") != ""
    return Target(url=url, protocol=protocol or (HTTP if web else GRPC), headers=headers)


def backend_of(target: Target | None, limits: Limits, *, guarded: bool) -> Backend | None:
    """What passes on to that target; `guarded` where a client's authorization is for us."""
    if target is None:
        return None
    parts = urlsplit(target.url)
    if target.protocol == HTTP:
        return HttpBackend(parts, target.headers, limits, guarded=guarded)
    return GrpcBackend(parts, target.headers, limits, guarded=guarded)


class GrpcBackend:
    """One channel, which gRPC keeps connected."""

    def __init__(
        self, url: SplitResult, headers: Headers, limits: Limits, *, guarded: bool
    ) -> None:
        place = f"{url.hostname}:{url.port or 4317}"
        self._place = place
        self._headers = headers
        self._guarded = guarded
        self._time = limits.backend_time
        sizes = [
            ("grpc.max_send_message_length", -1),
            ("grpc.max_receive_message_length", limits.message),
        ]
        if url.scheme == "https":
            secure = grpc.ssl_channel_credentials()
            self._channel = grpc.aio.secure_channel(place, secure, options=sizes)
        else:
            self._channel = grpc.aio.insecure_channel(place, options=sizes)
        self._calls = {
            signal: self._channel.unary_unary(method) for method, signal in METHODS.items()
        }

    async def send(self, request: Request) -> bytes:
        """The backend's answer; raises NotTakenError where it gave none, or a bad one."""
        headers = passed_on(request.headers, self._headers, guarded=self._guarded)
        try:
            answer: bytes = await self._calls[request.signal](
                request.raw, metadata=headers, timeout=self._time
            )
        except grpc.aio.AioRpcError as error:
            raise self._not_taken(error) from error
        return answer

    async def close(self) -> None:
        """Lets go of the channel."""
        await self._channel.close()

    def _not_taken(self, error: Any) -> NotTakenError:
        code = error.code()
        said = f"{self._place} did not take it: {error.details() or code.name}"
        told = {key for key, _ in error.trailing_metadata() or ()}
        # Out of resources means for good, unless it is told when to come again.
        later = True if code is grpc.StatusCode.RESOURCE_EXHAUSTED and DETAILS in told else None
        return NotTakenError(said, code.value[0], again=later)


def _strange(endpoint: str) -> ReceiverError:
    return ReceiverError(
        f"{endpoint!r} is no endpoint to pass on to: write http://host:4317 or https://host:4317"
    )
