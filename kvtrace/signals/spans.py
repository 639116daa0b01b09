"""The form of a span, before it is put into anybody's protocol."""

import msgspec

from kvtrace.signals.logs import SpanEvent
from kvtrace.signals.values import Value

INTERNAL = 1
CLIENT = 3
"""Of a span that asks another process and waits for its answer."""

STALL = "kvtrace.stall"
TRANSFER = "kvtrace.transfer"


class SpanLink(msgspec.Struct, frozen=True, gc=False):
    """Another span that belongs to the same request."""

    trace_id: bytes
    span_id: bytes
    attributes: dict[str, Value] = {}


class Span(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One phase of a half, or the whole half, from its start to its end."""

    trace_id: bytes
    span_id: bytes
    parent_id: bytes = b""
    name: str
    kind: int = INTERNAL
    start: int
    """Nanoseconds since the epoch."""

    end: int
    attributes: dict[str, Value]
    events: tuple[SpanEvent, ...] = ()
    links: tuple[SpanLink, ...] = ()
    error: str = ""
    """What went wrong, in words; empty where nothing did."""

    process: str
    """Whose resource it has."""

    engine: str
    root: bytes
    """The span id of its half's root: what one half's spans have alike."""

    trigger: tuple[str, int]
    """Process and sequence number of the event that completed it."""
