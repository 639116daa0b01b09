"""What is on its way: log records and spans, and what to remember of each once it was sent."""

from collections.abc import Sequence

import msgspec

from kvtrace.agent.cursor import Cursor
from kvtrace.moments import Lost
from kvtrace.signals.logs import Log, Resource
from kvtrace.signals.spans import STALL, Span
from kvtrace.sinks.otlp.messages import Messages


class LogParcel(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A log record with its resource."""

    resource: Resource
    log: Log
    process: str = ""
    seq: int = 0
    """0 where it tells of no event."""

    ended: bool = False
    """Whether it tells that the process is gone."""

    lost: Lost | None = None
    """What it tells was lost, if it tells that."""

    file: str = ""
    """The black box that it tells cannot be read."""


class SpanParcel(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A span with its resource."""

    resource: Resource
    span: Span
    at: int = 0
    """When it was made, in nanoseconds of our monotonic clock."""


def pack_logs(messages: Messages, parcels: Sequence[LogParcel]) -> bytes:
    """The message that carries them."""
    return messages.logs((parcel.resource, parcel.log) for parcel in parcels)


def pack_spans(messages: Messages, parcels: Sequence[SpanParcel]) -> bytes:
    """The message that carries them."""
    return messages.spans((parcel.resource, parcel.span) for parcel in parcels)


def logs_answered(cursor: Cursor, parcels: Sequence[LogParcel]) -> None:
    """These log records need not be sent again."""
    newest = {parcel.process: parcel.seq for parcel in parcels if parcel.seq}
    for process, seq in newest.items():
        cursor.advance(process, logs=seq)
    for parcel in parcels:
        if parcel.ended:
            cursor.advance(parcel.process, ended=True)
    losses = [parcel.lost for parcel in parcels if parcel.lost is not None]
    for lost in losses:
        cursor.lose(lost.process, lost.counts)
    cursor.complain(parcel.file for parcel in parcels if parcel.file)
    if losses:
        # They are rare, and nobody could tell that one was told twice.
        cursor.write()


def logs_taken(cursor: Cursor, parcels: Sequence[LogParcel]) -> None:
    """These log records were taken, and what they tell was refused is told."""
    cursor.settle(_refused(parcels), told=True)


def logs_refused(cursor: Cursor, parcels: Sequence[LogParcel]) -> None:
    """These log records were refused, and what they tell was refused is still to be told."""
    cursor.settle(_refused(parcels), told=False)


def _refused(parcels: Sequence[LogParcel]) -> int:
    return sum(parcel.lost.refused for parcel in parcels if parcel.lost is not None)


def spans_handed(cursor: Cursor, parcels: Sequence[SpanParcel]) -> None:
    """These spans must never be sent by another agent; on disk before the first is sent."""
    stalls = max((parcel.at for parcel in parcels if parcel.span.name == STALL), default=0)
    cursor.hand(map(_named, parcels), stalls)
    cursor.write()


def spans_answered(cursor: Cursor, parcels: Sequence[SpanParcel]) -> None:
    """These spans are in doubt no longer; that may reach the disk with whatever comes next."""
    cursor.answered()


def _named(parcel: SpanParcel) -> tuple[str, str, int]:
    span = parcel.span
    # Time completes a stall, however often, and no event does.
    process, seq = ("", 0) if span.name == STALL else span.trigger
    return span.span_id.hex(), process, seq
