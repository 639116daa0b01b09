"""How a half ended, and its root span."""

import msgspec

from kvtrace.ending import ending, may_end
from kvtrace.events import (
    AnyEvent,
    BlocksReady,
    BlocksReleased,
    FailureLogged,
    HandshakeFailed,
    LeaseExpired,
    ReceiveFailed,
    RegistrationSendFailed,
    RequestFinished,
    WriteFailed,
    WriteFinished,
)
from kvtrace.model import Outcome, Role
from kvtrace.moments import Record
from kvtrace.signals.account import Account
from kvtrace.signals.values import Value
from kvtrace.transfer import Transfer


class Closing(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How a half ended."""

    outcome: Outcome
    end: int
    """Nanoseconds since the epoch."""

    upto: int
    """Nanoseconds of the engine's clock; what was told later is no part of the half."""

    settled: bool
    """Whether its scheduler has nothing more to say."""

    error: str = ""
    error_type: str = ""


class Gone(msgspec.Struct, frozen=True):
    """A process that spoke for the half is no more."""

    process: str
    goodbye: bool
    at: int
    """When we saw it, in nanoseconds of our clock."""


_ENDLESS = 1 << 64

LIVE = 5_000_000_000
"""Nanoseconds: what we see later than that after it was told was told before we looked, and so
does not say when its process ended."""


def closing(account: Account, gone: Gone | None, ours: str) -> Closing | None:
    """How the half ended; None while it goes on."""
    found = _by_its_word(account)
    if found is not None or gone is None:
        return found
    newest, seen = account.records[-1]
    watched = newest.clock == ours and seen - newest.at < LIVE
    end = account.wall_at(gone.at, ours) if watched else 0
    said = "said goodbye" if gone.goodbye else "was killed, or crashed"
    return Closing(
        outcome=Outcome.ABANDONED if gone.goodbye else Outcome.FAILED,
        end=max(end, account.wall(newest)),
        upto=_ENDLESS,
        settled=False,
        error="" if gone.goodbye else f"process {gone.process} {said}",
        error_type="process.stopped" if gone.goodbye else "process.killed",
    )


def _by_its_word(account: Account) -> Closing | None:
    if not any(can_end(record.event) for record, _ in account.records):
        return None
    mine = account.role is Role.PRODUCER
    half = account.half
    over = ending(Transfer(id="", producer=half if mine else None, consumer=None if mine else half))
    if over is None:
        return None
    at, wall = over.mark.at, over.mark.wall
    released = account.every(BlocksReleased)
    if mine and released and released[0].at >= at:
        at, wall = released[0].at, released[0].wall
    error, error_type = _why(account, over.outcome, at)
    return Closing(
        outcome=over.outcome,
        end=account.wall_at(at, over.mark.clock) or wall,
        upto=at,
        settled=not mine or bool(released) or any(not e.held for _, e in account.told(BlocksReady)),
        error=error if over.outcome is Outcome.FAILED else "",
        error_type=error_type,
    )


def can_end(event: AnyEvent) -> bool:
    """Whether a half can be over because of it; blocks that are held are about to be written."""
    if isinstance(event, BlocksReady):
        return not event.held
    return may_end(event)


def _why(account: Account, outcome: Outcome, upto: int) -> tuple[str, str]:
    """What went wrong, in words and as a type; nothing where all went well."""
    if outcome is Outcome.FINISHED:
        return "", ""
    found = ("", "")
    for record in account.every(*_FAILURES):
        if record.at <= upto:
            found = _named(record, found)
    if outcome is Outcome.FAILED:
        return found if found[1] else ("the transfer failed", "receive.failed")
    return "", _given_up(account)


def _named(record: Record, so_far: tuple[str, str]) -> tuple[str, str]:
    match record.event:
        case FailureLogged() as event:
            return event.error or event.message, event.failure or event.error_type
        case HandshakeFailed() as event:
            return event.error, event.error_type or "handshake.failed"
        case RegistrationSendFailed() as event:
            return event.error, "registration.send_failed"
        case WriteFailed() as event:
            return event.error, f"write.failed.{event.stage}".rstrip(".")
        case ReceiveFailed():
            return so_far if so_far[1] else ("its KV will not come", "receive.failed")
        case _:
            return so_far


def _given_up(account: Account) -> str:
    if account.every(LeaseExpired):
        return "lease.expired"
    if any(event.parked for _, event in account.told(RequestFinished)):
        return "request.aborted"
    return "request.finished"


def belongs(record: Record, closed: Closing) -> bool:
    """Whether the record is part of the half that ended so."""
    return record.at <= closed.upto


def summary(account: Account, closed: Closing) -> dict[str, Value]:
    """The attributes of the root, beside those that each span has."""
    found: dict[str, Value] = {
        "kvtrace.engine": account.engine,
        "kvtrace.outcome": closed.outcome.value,
    }
    if account.mode:
        found["kvtrace.mode"] = account.mode
    peer = _peer(account)
    if peer:
        found["kvtrace.peer_engine"] = peer
    admitted = account.admitted
    if admitted is None:
        found["kvtrace.partial"] = True
    else:
        found["kvtrace.tokens"] = admitted.event.tokens
    if account.role is Role.PRODUCER:
        found["kvtrace.size"] = sum(event.size for _, event in account.told(WriteFinished))
    return found


def _peer(account: Account) -> str:
    """The engine at the other end, as far as this one told."""
    field = "consumer" if account.role is Role.PRODUCER else "producer"
    names = (str(getattr(record.event, field, "")) for record, _ in account.records)
    return next((name for name in names if name), "")


def start_of(account: Account) -> int:
    """When the half began: admitted, or as early as anything is known of it."""
    own = (record for record, _ in account.records if record.event.request)
    first = account.admitted.record if account.admitted is not None else next(own, account.anchor)
    return account.wall(first)


_FAILURES = (FailureLogged, HandshakeFailed, RegistrationSendFailed, WriteFailed, ReceiveFailed)
