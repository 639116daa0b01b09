"""What is on its way: log records and spans, and what to remember of each once it was sent."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec
from google.protobuf.message import Message

from kvtrace.agent.cursor import Cursor
from kvtrace.signals.logs import Log, Resource
from kvtrace.signals.spans import Span
from kvtrace.sinks.otlp.messages import logs_request, traces_request

STALL = "kvtrace.stall"


class LogParcel(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A log record with its resource."""

    resource: Resource
    log: Log
    process: str = ""
    seq: int = 0
    """0 where it tells of no event."""

    ended: bool = False
    """Whether it tells that the process is gone."""


class SpanParcel(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A span with its resource."""

    resource: Resource
    span: Span


def pack_logs(parcels: Sequence[LogParcel]) -> Message:
    """The message that carries them."""
    return logs_request((parcel.resource, parcel.log) for parcel in parcels)


def pack_spans(parcels: Sequence[SpanParcel]) -> Message:
    """The message that carries them."""
    return traces_request((parcel.resource, parcel.span) for parcel in parcels)


Mark: TypeAlias = Callable[[Cursor, Sequence[LogParcel] | Sequence[SpanParcel]], None]


def logs_answered(cursor: Cursor, parcels: Sequence[LogParcel]) -> None:
    """These log records need not be sent again."""
    newest = {parcel.process: parcel.seq for parcel in parcels if parcel.seq}
    for process, seq in newest.items():
        cursor.advance(process, logs=seq)
    for parcel in parcels:
        if parcel.ended:
            cursor.advance(parcel.process, ended=True)


def spans_handed(cursor: Cursor, parcels: Sequence[SpanParcel]) -> None:
    """These spans must never be sent by another agent; on disk before the first is sent."""
    for process, seq in _newest(parcels).items():
        cursor.advance(process, handed=seq)
    stalls = [parcel.span.end for parcel in parcels if parcel.span.name == STALL]
    if stalls:
        cursor.tick(max(stalls))
    cursor.write()


def spans_answered(cursor: Cursor, parcels: Sequence[SpanParcel]) -> None:
    """These spans are in doubt no longer."""
    for process, seq in _newest(parcels).items():
        cursor.advance(process, spans=seq)
    cursor.write()


def _newest(parcels: Sequence[SpanParcel]) -> dict[str, int]:
    newest: dict[str, int] = {}
    for parcel in parcels:
        if parcel.span.name != STALL:
            process, seq = parcel.span.trigger
            newest[process] = max(seq, newest.get(process, 0))
    return newest
