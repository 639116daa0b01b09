"""Which spans of a half can be made by now, and whether that was all of it."""

import msgspec

from kvtrace.events import BlocksQueued, RegistrationStaged
from kvtrace.model import Outcome, Role
from kvtrace.moments import Record
from kvtrace.signals.account import Account, last
from kvtrace.signals.closing import Closing, belongs, closing, start_of, summary
from kvtrace.signals.consumer_phases import consumer_phases
from kvtrace.signals.drafts import Draft, id_of, span_of
from kvtrace.signals.handshake_phases import Asked, handshake_phases
from kvtrace.signals.ids import derived
from kvtrace.signals.logs import SpanEvent
from kvtrace.signals.open_half import OpenHalf
from kvtrace.signals.producer_phases import producer_phases
from kvtrace.signals.spans import TRANSFER, Span, SpanLink

SECOND = 1_000_000_000

GIVE_UP = 10 * SECOND
"""After the end of a half that went well, for what its other processes told to be read too."""

LINGER = 2 * SECOND
"""The same for one that did not: what is missing of it may never have happened."""


class Looked(msgspec.Struct, frozen=True):
    """What a look at a half brought."""

    spans: list[Span]
    over: bool
    """Whether it is over, though something may still be missing."""

    done: bool
    """Whether its root was made, so that nothing more comes."""

    waiting: bool = True
    """Whether a phase that has begun is not whole yet, so that anything may complete it."""

    again: int = 0
    """When to look again, in nanoseconds of our clock, where it is over and not done."""


def part(half: OpenHalf, account: Account, beginnings: Asked, ours: str, now: int) -> Looked:
    """Make the spans that are whole, and all that are left where the half is over."""
    drafts = phases(account, beginnings)
    closed = closing(account, half.gone, ours)
    if closed is None:
        waiting = account.admitted is None or not all(draft.whole for draft in drafts)
        return Looked(_make_whole(half, account, drafts), False, False, waiting)
    if half.over is None:
        half.over = now
    wait = GIVE_UP if closed.outcome is Outcome.FINISHED else LINGER
    until = half.over + wait
    if now < until and not _all_told(account, drafts, closed):
        return Looked(_make_whole(half, account, drafts), True, False, again=until)
    drafts = [_cut_off(draft, closed) for draft in drafts if _happened(draft, closed)]
    spans = _make(half, account, drafts)
    spans.append(_root(half, account, closed))
    return Looked(spans, True, True)


def phases(account: Account, beginnings: Asked) -> list[Draft]:
    """Every phase of the half as far as it is told."""
    mine = account.role is Role.PRODUCER
    own = producer_phases(account) if mine else consumer_phases(account)
    return [*handshake_phases(account, beginnings), *own]


def _make_whole(half: OpenHalf, account: Account, drafts: list[Draft]) -> list[Span]:
    """The spans of whole phases, once it is known which trace they belong to."""
    if account.admitted is None:
        return []
    return _make(half, account, [draft for draft in drafts if draft.whole])


def _make(half: OpenHalf, account: Account, drafts: list[Draft]) -> list[Span]:
    made = []
    for draft in drafts:
        name = id_of(draft, account)
        if name not in half.sent:
            half.sent.add(name)
            half.told.update((record.process, record.seq) for record in draft.records)
            made.append(span_of(draft, account, name))
    return made


def _all_told(account: Account, drafts: list[Draft], closed: Closing) -> bool:
    """Whether nothing can be missing of a half that is over."""
    if not closed.settled or closed.outcome is not Outcome.FINISHED:
        return False
    if not all(draft.whole for draft in drafts if _happened(draft, closed)):
        return False
    if account.role is Role.PRODUCER:
        told = {record.rank for record in account.every(BlocksQueued)}
    elif account.every(RegistrationStaged):
        told = {draft.rank for draft in drafts if draft.phase == "completion"}
    else:
        return True
    return len(told) >= account.ranks


def _happened(draft: Draft, closed: Closing) -> bool:
    """Whether the phase is worth a span: a rank that was never asked has waited for nothing."""
    unmatched = draft.phase == "readiness" and not draft.whole
    return not (unmatched and closed.outcome is Outcome.FINISHED)


def _cut_off(draft: Draft, closed: Closing) -> Draft:
    """The phase as it was when its half ended."""
    if draft.whole:
        return draft
    end = draft.end if closed.outcome is Outcome.FINISHED else max(draft.end, closed.end)
    attributes = {**draft.attributes, "kvtrace.unfinished": True}
    return msgspec.structs.replace(draft, end=end, attributes=attributes)


def _root(half: OpenHalf, account: Account, closed: Closing) -> Span:
    """The span of the whole half, with what was told in none of its phases."""
    everything = [record for record, _ in account.records if belongs(record, closed)]
    left = [record for record in everything if (record.process, record.seq) not in half.told]
    newest = last(everything or [account.anchor])
    start = start_of(account)
    attributes = {**account.on_every_span, **summary(account, closed)}
    if closed.error_type:
        attributes["error.type"] = closed.error_type
    return Span(
        trace_id=account.trace_id,
        span_id=account.root,
        parent_id=account.parent.span_id if account.parent is not None else b"",
        name=TRANSFER,
        start=start,
        end=max(start, closed.end),
        attributes=attributes,
        events=tuple(map(SpanEvent, left)),
        links=_links(account),
        error=closed.error,
        process=_speaker(account),
        engine=account.engine,
        root=account.root,
        trigger=(newest.process, newest.seq),
    )


def _links(account: Account) -> tuple[SpanLink, ...]:
    """To the trace where the other half is, if that came without one."""
    if account.parent is None:
        return ()
    other = derived(account.base)
    return (SpanLink(other.trace_id, other.span_id, {"kvtrace.join": account.base}),)


def _speaker(account: Account) -> str:
    """The process whose root it is: the scheduler, where it told anything."""
    schedulers = (
        r.process for r, _ in account.records if r.rank < 0 and r.engine == account.engine
    )
    return next(schedulers, account.anchor.process)


def loose_handshake(record: Record, began: Record | None) -> Span:
    """The span of a handshake that was made in no request's name; a trace of its own."""
    records = [record] if began is None else [began, record]
    side = Role.PRODUCER if getattr(record.event, "side", "") == "P" else Role.CONSUMER
    account = Account(
        engine=record.engine,
        role=record.role or side,
        request="",
        base=f"{record.process}/{record.seq}",
        records=tuple((one, 0) for one in records),
    )
    (draft,) = handshake_phases(account, {})
    own = account.span_id("handshake", record.rank, -1, record.seq)
    made = span_of(draft, account, own)
    attributes = {**draft.attributes, "kvtrace.role": account.role.value}
    return msgspec.structs.replace(made, parent_id=b"", root=own, attributes=attributes)
