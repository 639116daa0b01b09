"""What an endpoint's answer means for what was sent, by either protocol."""

from collections.abc import Iterable, Mapping
from enum import Enum

import msgspec
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from grpc import StatusCode


class Fate(Enum):
    """What becomes of what was sent."""

    TAKEN = "taken"
    LATER = "later"
    """Not now: the same may be taken at another time."""

    SMALLER = "smaller"
    """Not so much at once."""

    NEVER = "never"
    """The same will not be taken however often it is sent."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What the endpoint answered."""

    fate: Fate
    why: str = ""
    """In the endpoint's words; empty where all was taken."""

    rejected: int = 0
    """How many of those sent were not taken, where the others were."""

    after: float | None = None
    """Seconds that the endpoint asks us to wait; None where it does not say."""


_LATER = frozenset(
    (
        StatusCode.ABORTED,
        StatusCode.CANCELLED,
        StatusCode.DATA_LOSS,
        StatusCode.DEADLINE_EXCEEDED,
        StatusCode.OUT_OF_RANGE,
        StatusCode.UNAVAILABLE,
    )
)
"""Those that OTLP calls retryable, without conditions."""

_LATER_STATUS = frozenset((408, 429, 502, 503, 504))
_TOO_LARGE = 413
_LONGEST = 200
"""Characters of an endpoint's words that are kept."""


def of_status(code: StatusCode, words: str, trailers: Iterable[tuple[str, str | bytes]]) -> Answer:
    """The answer that a gRPC status is."""
    why = f"{code.name}: {words}"[:_LONGEST] if words else code.name
    after = _retry_delay(dict(trailers))
    if code in _LATER or (code is StatusCode.RESOURCE_EXHAUSTED and after is not None):
        return Answer(fate=Fate.LATER, why=why, after=after)
    if code is StatusCode.RESOURCE_EXHAUSTED:
        # A message too large is refused by the same code, and without a time to wait.
        return Answer(fate=Fate.SMALLER, why=why)
    return Answer(fate=Fate.NEVER, why=why)


def of_http(status: int, words: str, headers: Mapping[str, str]) -> Answer:
    """The answer that an HTTP status other than success is."""
    why = f"HTTP {status}: {words}"[:_LONGEST] if words else f"HTTP {status}"
    if status in _LATER_STATUS:
        return Answer(fate=Fate.LATER, why=why, after=_seconds(headers.get("Retry-After", "")))
    if status == _TOO_LARGE:
        return Answer(fate=Fate.SMALLER, why=why)
    return Answer(fate=Fate.NEVER, why=why)


def of_silence(error: Exception) -> Answer:
    """The answer where none came."""
    return Answer(fate=Fate.LATER, why=f"{type(error).__name__}: {error}"[:_LONGEST])


def taken(rejected: int, words: str) -> Answer:
    """The answer where all, or part, was taken."""
    return Answer(fate=Fate.TAKEN, rejected=rejected, why=words[:_LONGEST] if rejected else "")


def _retry_delay(trailers: Mapping[str, str | bytes]) -> float | None:
    """How long to wait, by the details of a status; None where they do not say."""
    try:
        for detail in Status.FromString(_raw(trailers, "grpc-status-details-bin")).details:
            if detail.Is(RetryInfo.DESCRIPTOR):
                return _delay(RetryInfo.FromString(detail.value))
        direct = _raw(trailers, "google.rpc.retryinfo-bin")
        return _delay(RetryInfo.FromString(direct)) if direct else None
    except DecodeError:
        return None


def _delay(told: RetryInfo) -> float:
    seconds: float = told.retry_delay.seconds + told.retry_delay.nanos / 1e9
    return max(0.0, seconds)


def _raw(trailers: Mapping[str, str | bytes], name: str) -> bytes:
    value = trailers.get(name, b"")
    return value if isinstance(value, bytes) else value.encode(errors="replace")


def _seconds(text: str) -> float | None:
    """What a Retry-After of seconds says; a date is left to our own patience."""
    return float(text) if text.strip().isdecimal() else None
