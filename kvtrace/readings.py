"""What a snapshot tells of links, of engines over time, and of what was heard last."""

import msgspec

from kvtrace.model import Link
from kvtrace.moments import Ended, Lost, Record


class PathLine(msgspec.Struct, frozen=True, kw_only=True):
    """One producer rank and one consumer rank of a link."""

    producer_rank: int
    consumer_rank: int
    rate: int | None
    """Bytes a second of its last writes; None where there were none lately."""

    writes: int
    moved: int
    """Bytes."""

    failed: int


class LinkLine(msgspec.Struct, frozen=True, kw_only=True):
    """One link: what is on it now, and how fast it writes against its own best."""

    link: Link
    in_flight: int = 0
    stalled: int = 0
    oldest: int | None = None
    """Nanoseconds: the longest wait in a present phase."""

    rate: int | None = None
    """Bytes a second of its last writes; None where there were none lately."""

    best: int | None = None
    """Bytes a second of its best writes of that size, over the last hour; None where too few."""

    share: int | None = None
    """Per cent of its own best at which it writes now."""

    slow: bool = False
    """Whether that is far below its best."""

    writes: int = 0
    """That landed since we began."""

    moved: int = 0
    """Bytes since we began."""

    failed: int = 0
    """Writes, registrations and handshakes that failed since we began."""

    history: tuple[int, ...] = ()
    """Bytes a second over the last 15 minutes, oldest first, in equal parts; -1 where none."""

    paths: tuple[PathLine, ...] = ()
    """By rank, in order; bounded."""


class TableLine(msgspec.Struct, frozen=True, kw_only=True):
    """One of the connector's tables in an engine, over all its processes."""

    name: str
    size: int
    oldest: int
    """Nanoseconds; 0 where its entries carry no time."""

    history: tuple[int, ...]
    """Its size over the last five minutes, oldest first, in equal parts; -1 where not told."""


class Vital(msgspec.Struct, frozen=True, kw_only=True):
    """How an engine's steps and tables go over time."""

    engine: str
    longest: int | None = None
    """Nanoseconds of the longest step that was told last; None where none was."""

    mean: int | None = None
    """Nanoseconds of a step on average, in the last sample that had any."""

    steps: tuple[int, ...] = ()
    """Longest step over the last five minutes, oldest first, in equal parts; -1 where none."""

    tables: tuple[TableLine, ...] = ()
    """By name; bounded."""


class Heard(msgspec.Struct, frozen=True, gc=False):
    """One thing that was heard, and its number since we began."""

    number: int
    at: int
    """When it happened, in nanoseconds of our clock."""

    news: Record | Lost | Ended
