"""How a half grows: facts are only added, so that any order and any repeat give the same."""

from functools import lru_cache
from zlib import crc32

from kvtrace.events import (
    BlocksReady,
    CompletionCounted,
    Event,
    LeaseExpired,
    ReceiveFailed,
    ReceiveFinished,
    RegistrationNoticed,
    RequestFinished,
    closes,
)
from kvtrace.identity import base_id
from kvtrace.model import Mark, Place, Role
from kvtrace.moments import Record
from kvtrace.transfer import Half, MarkKey, Told
from kvtrace.wire import KINDS

MOST_MARKS = 2_048
"""Of one half; with 256 pairs of ranks there are some 1,500."""

LAST_WORDS = 64
"""Marks beyond that, of events that may end a half: one that is full must still be seen to end."""


def begin(engine: str, role: Role, request: str, ranks: int = 0) -> Half:
    """A half of which nothing is known yet but whose it is, and of how many ranks."""
    return Half(
        engine=engine, role=role, request=request, base=base_id(request), told={}, ranks=ranks
    )


def advance(half: Half, record: Record, seen: int) -> Half:
    """The half with what the record adds; the very same half where it adds nothing.

    `seen` is when we learned of it, in nanoseconds of our own clock. Of an event told twice
    the earlier one counts. Beyond the limit nothing is added.
    """
    key = mark_key(record)
    known = half.told.get(key)
    if known is not None and (known.mark.at, known.seq) <= (record.at, record.seq):
        return half
    if known is None and len(half.told) >= MOST_MARKS and not _has_room(half, key, record):
        return half
    role = half.role
    grown = half.told.copy()
    grown[key] = told(record, role, seen)
    return Half(
        engine=half.engine,
        role=role,
        request=half.request,
        base=half.base,
        told=grown,
        ranks=half.ranks,
    )


def overflows(half: Half, record: Record) -> bool:
    """Whether the record is new to the half, and finds no room in it."""
    key = mark_key(record)
    return key not in half.told and not _has_room(half, key, record)


def _has_room(half: Half, key: MarkKey, record: Record) -> bool:
    """Whether one mark more may be added; in a full half, only a last word, the first of its kind
    in any case."""
    many = len(half.told)
    if many < MOST_MARKS:
        return True
    if not (isinstance(record.event, _MAY_END) or closes(record.event)):
        return False
    return many < MOST_MARKS + LAST_WORDS or all(name != key[0] for name, *_ in half.told)


def told(record: Record, role: Role, seen: int) -> Told:
    """The record as a half keeps it."""
    place = _place(record.engine, role, record.rank)
    mark = Mark(record.at, record.wall, record.clock, seen)
    return Told(place, mark, record.event, record.process, record.seq)


@lru_cache(maxsize=4096)
def _place(engine: str, role: Role, rank: int) -> Place:
    """The place; one for all the marks that were made there."""
    return Place(engine, role, rank)


def mark_key(record: Record) -> MarkKey:
    """What tells this event of a half from every other."""
    event = record.event
    name, peer, ordinal, plain = _SHAPES[type(event)]
    if plain:
        return (name, record.process, record.rank, -1, 0)
    return (
        name,
        record.process,
        record.rank,
        getattr(event, peer) if peer else -1,
        _number(getattr(event, ordinal)) if ordinal else 0,
    )


def _number(ordinal: int | str) -> int:
    return ordinal if isinstance(ordinal, int) else crc32(ordinal.encode())


def _shape(name: str, cls: type[Event]) -> tuple[str, str, str, bool]:
    """The event's name, which of its fields say the peer rank and the ordinal, and whether none
    says either."""
    fields = cls.__struct_fields__
    ordinal = "ordinal" if "ordinal" in fields else ""
    if cls is CompletionCounted:
        ordinal = "count"
    if cls is RegistrationNoticed:
        # The consumer's ranks are told apart by their agents alone.
        ordinal = "peer"
    peer = "peer_rank" if "peer_rank" in fields else ""
    return name, peer, ordinal, not peer and not ordinal


_MAY_END = (BlocksReady, LeaseExpired, ReceiveFailed, ReceiveFinished, RequestFinished)
"""The last words among those that do not always close a half."""

_SHAPES = {cls: _shape(name, cls) for name, cls in KINDS.items()}
