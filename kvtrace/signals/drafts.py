"""A phase of a half on its way to become a span: whole, or still missing something."""

import msgspec

from kvtrace.moments import Record
from kvtrace.signals.account import Account, last
from kvtrace.signals.logs import SpanEvent
from kvtrace.signals.spans import INTERNAL, Span
from kvtrace.signals.values import Value


class Draft(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One phase as far as its records tell."""

    phase: str
    """Such as `write`; the span is called `kvtrace.write`."""

    rank: int = -1
    peer_rank: int = -1
    ordinal: int = 0
    records: tuple[Record, ...]
    start: int
    """Nanoseconds since the epoch."""

    end: int
    whole: bool
    """Whether nothing of it can be missing any more."""

    attributes: dict[str, Value]
    kind: int = INTERNAL
    parent: bytes = b""
    """The span that it is part of, where that is not the half's root."""

    error: str = ""
    error_type: str = ""

    @property
    def name(self) -> str:
        """What its span is called."""
        return "kvtrace." + self.phase.partition(".")[0]


def span_of(draft: Draft, account: Account, span_id: bytes) -> Span:
    """The draft as a span, with its records as span events."""
    newest = last(draft.records)
    attributes: dict[str, Value] = {**account.on_every_span, **draft.attributes}
    if draft.rank >= 0:
        attributes["kvtrace.rank"] = draft.rank
    if draft.peer_rank >= 0:
        attributes["kvtrace.peer_rank"] = draft.peer_rank
    if draft.error_type:
        attributes["error.type"] = draft.error_type
    return Span(
        trace_id=account.trace_id,
        span_id=span_id,
        parent_id=draft.parent or account.root,
        name=draft.name,
        kind=draft.kind,
        start=draft.start,
        end=max(draft.start, draft.end),
        attributes=attributes,
        events=tuple(map(SpanEvent, draft.records)),
        error=draft.error,
        process=newest.process,
        engine=account.engine,
        root=account.root,
        trigger=(newest.process, newest.seq),
    )


def id_of(draft: Draft, account: Account) -> bytes:
    """The id of the draft's span."""
    return account.span_id(draft.phase, draft.rank, draft.peer_rank, draft.ordinal)
