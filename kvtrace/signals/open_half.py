"""A half that is not over yet, while its spans are still to be made."""

import msgspec

from kvtrace.events import (
    HandshakeFailed,
    HandshakeFinished,
    MatchMade,
    PrefillAdmitted,
    ReceiveReported,
    RegistrationSendFailed,
    RegistrationSent,
    RequestAdmitted,
    WriteFailed,
    WriteFinished,
    WritePosted,
    WriteStarted,
)
from kvtrace.identity import base_id
from kvtrace.moments import Record
from kvtrace.signals.account import Whose, root_of
from kvtrace.signals.closing import Gone, can_end
from kvtrace.signals.ids import derived, parent_of
from kvtrace.signals.logs import Context

NEVER = 1 << 64

MOST_RECORDS = 1000
"""Of one half; a healthy transfer has some twenty, and three more for each pair of ranks."""


class OpenHalf(msgspec.Struct, kw_only=True):
    """What is known of a half, and what was told of it. The one record here that changes."""

    whose: Whose
    base: str
    context: Context
    """Its trace, and the span id of its root."""

    since: int
    """When we first heard of it, in nanoseconds of our clock."""

    touched: int
    """When we heard of it last."""

    records: dict[tuple[str, int], tuple[Record, int]]
    opened: bool = False
    """Whether something was told that can begin a half."""

    consumers: set[str]
    """The ids by which a producer knows it at its consumer."""

    sent: set[bytes]
    """Ids of the spans that were made."""

    told: set[tuple[str, int]]
    """Records that are span events of those."""

    stalls: dict[str, int]
    """The last number of each phase that was told as stalled."""

    over: int | None = None
    """When it was first found to be over, in nanoseconds of our clock."""

    gone: Gone | None = None
    ripe: bool = False
    """Whether something was told that can make a phase whole, or end the half."""

    due: int = NEVER
    """When to look at it even if nothing is heard, in nanoseconds of our clock."""

    def add(self, record: Record, seen: int) -> bool:
        """Take the record in; False where there is no room for it."""
        key = (record.process, record.seq)
        if key in self.records:
            return True
        if len(self.records) >= MOST_RECORDS:
            return False
        self.records[key] = record, seen
        self.touched = seen
        event = record.event
        self.opened = self.opened or event.opens
        self.ripe = self.ripe or type(event) in _COMPLETING or can_end(event)
        if isinstance(event, RequestAdmitted | PrefillAdmitted):
            parent = parent_of(event.trace)
            if parent is not None:
                self.context = (parent.trace_id, self.context[1])
        elif isinstance(event, MatchMade | WriteStarted | WritePosted) and event.remote_request:
            self.consumers.add(event.remote_request)
        return True

    def lose(self, gone: Gone) -> None:
        """A process that spoke for it is no more."""
        self.gone = gone
        self.ripe = True
        self.touched = max(self.touched, gone.at)


def begin(whose: Whose, seen: int) -> OpenHalf:
    """A half of which nothing is known yet but whose it is."""
    base = base_id(whose[2])
    return OpenHalf(
        whose=whose,
        base=base,
        context=(derived(base).trace_id, root_of(whose)),
        since=seen,
        touched=seen,
        records={},
        consumers=set(),
        sent=set(),
        told=set(),
        stalls={},
    )


_COMPLETING = frozenset(
    (
        RegistrationSent,
        RegistrationSendFailed,
        ReceiveReported,
        HandshakeFinished,
        HandshakeFailed,
        MatchMade,
        WriteFinished,
        WriteFailed,
    )
)
