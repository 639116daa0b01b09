"""The handshakes that were made in a request's name, or in nobody's."""

from collections.abc import Iterator

from kvtrace.events import (
    HandshakeFailed,
    HandshakeFinished,
    HandshakeStarted,
    RegistrationQueued,
    RegistrationSent,
    RegistrationStaged,
)
from kvtrace.model import Role
from kvtrace.moments import Record
from kvtrace.signals.account import Account
from kvtrace.signals.drafts import Draft
from kvtrace.signals.spans import CLIENT
from kvtrace.signals.values import Value

Asked = dict[tuple[str, str, int], Record]
"""Beginnings of handshakes, by process, peer and ordinal."""


def handshake_phases(account: Account, beginnings: Asked) -> Iterator[Draft]:
    """One for each handshake that is over, or that began in the request's name."""
    over = {key_of(r): r for r in account.every(HandshakeFinished, HandshakeFailed)}
    begun = {key_of(r): r for r in account.every(HandshakeStarted)}
    for key in dict.fromkeys((*over, *begun)):
        yield _handshake(account, begun.get(key) or beginnings.get(key), over.get(key))


def _handshake(account: Account, began: Record | None, over: Record | None) -> Draft:
    records = tuple(record for record in (began, over) if record is not None)
    first, newest = records[0], records[-1]
    took = getattr(over.event, "took", 0) if over is not None and began is None else 0
    waited = began.event.waited if began is not None else 0  # type: ignore[union-attr]
    error, error_type = _failure(newest)
    return Draft(
        phase="handshake",
        rank=newest.rank,
        ordinal=int(getattr(newest.event, "ordinal", 0)),
        records=records,
        start=account.wall(first, waited + took),
        end=account.wall(newest),
        whole=began is not None and over is not None and _placed(account),
        attributes=_said(began, over),
        kind=CLIENT,
        parent=_parent(account),
        error=error,
        error_type=error_type,
    )


def _said(began: Record | None, over: Record | None) -> dict[str, Value]:
    found: dict[str, Value] = {}
    if began is not None and isinstance(began.event, HandshakeStarted):
        event = began.event
        found |= _address(event)
        found |= {"kvtrace.waited": event.waited, "kvtrace.notify_only": event.notify_only}
    if over is not None and isinstance(over.event, HandshakeFinished):
        found |= _address(over.event)
        found |= {"kvtrace.round_trip": over.event.round_trip, "kvtrace.ranks": over.event.ranks}
        if over.event.clock_offset is not None:
            found["kvtrace.clock_offset"] = over.event.clock_offset
    elif over is not None and isinstance(over.event, HandshakeFailed):
        found |= _address(over.event)
    return found


def _address(event: HandshakeStarted | HandshakeFinished | HandshakeFailed) -> dict[str, Value]:
    found: dict[str, Value] = {"kvtrace.peer_engine": event.peer, "kvtrace.ordinal": event.ordinal}
    if event.host:
        found["server.address"] = event.host
    if event.port:
        found["server.port"] = event.port
    return found


def _failure(record: Record) -> tuple[str, str]:
    event = record.event
    if not isinstance(event, HandshakeFailed):
        return "", ""
    return event.error or "the handshake failed", event.error_type or "handshake.failed"


def _placed(account: Account) -> bool:
    """Whether it is known which span it is a part of."""
    return account.role is Role.PRODUCER or bool(account.every(RegistrationStaged))


def _parent(account: Account) -> bytes:
    """A consumer makes it in order to register, a producer in order to write."""
    if account.role is Role.CONSUMER and account.every(*_REGISTERING):
        return account.span_id("registration", -1, -1, 0)
    return b""


def key_of(record: Record) -> tuple[str, str, int]:
    """What the beginning of a handshake and its end have alike."""
    event = record.event
    return record.process, str(getattr(event, "peer", "")), int(getattr(event, "ordinal", 0))


def remember(beginnings: Asked, record: Record, limit: int) -> None:
    """Keep that a handshake began, the oldest forgotten beyond the limit."""
    beginnings[key_of(record)] = record
    if len(beginnings) > limit:
        del beginnings[next(iter(beginnings))]


_REGISTERING = (RegistrationStaged, RegistrationQueued, RegistrationSent)
