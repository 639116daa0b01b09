"""The transfers table's lines in an order that holds still: made anew once a second."""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from kvtrace.model import Outcome, Phase
from kvtrace.snapshot import Done, Row, Snapshot

SECOND = 1_000_000_000
"""Nanoseconds for which an order stands, and for which what has ended stays in its place."""

SORTS: dict[str, Callable[[Row], Any]] = {
    "waited": lambda row: (not row.stalled, -row.waited),
    "phase": lambda row: (tuple(Phase).index(row.phase), -row.waited),
    "waits for": lambda row: (str(row.waits_for), -row.waited),
    "link": lambda row: (row.link.producer, row.link.consumer, -row.waited),
    "size": lambda row: -row.size,
    "age": lambda row: -row.age,
    "transfer": lambda row: row.id,
}
"""Columns that can be sorted by, with the key that puts what matters first."""


class Sort(msgspec.Struct, frozen=True):
    """By which column, and whether from its other end."""

    column: str = "waited"
    reverse: bool = False


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the table: a transfer in flight, or one that ended."""

    key: str
    """The transfer's id; empty for the line above those that ended lately."""

    row: Row | None = None
    done: Done | None = None
    since: int = 0
    """When it was first seen to have ended; 0 while it is in flight."""

    @property
    def is_trouble(self) -> bool:
        """Whether `n` stops here."""
        failed = self.done is not None and self.done.outcome is not Outcome.FINISHED
        return failed or (self.row is not None and self.row.stalled)


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """The lines, and when their order was made."""

    items: tuple[Item, ...] = ()
    made_at: int = 0
    sort: Sort = Sort()

    @property
    def top(self) -> int:
        """The first line that is a transfer."""
        return next((i for i, item in enumerate(self.items) if item.key), 0)

    def index(self, key: str | None) -> int | None:
        """The line of the transfer with that id."""
        return next((i for i, item in enumerate(self.items) if item.key and item.key == key), None)


def arrange(snapshot: Snapshot, before: Listing, sort: Sort, room: int) -> Listing:
    """The snapshot's transfers: in flight, and below, while there is room, those that ended.

    Within a second, and with the same sort, lines stay where they were before; new ones come last.
    """
    stands = 0 <= snapshot.at - before.made_at < SECOND and before.sort == sort
    known = _kept(snapshot, before, forever=stands)
    fresh = [_flying(row) for row in snapshot.rows if row.transfer.id not in known]
    every = [*known.values(), *fresh]
    if not stands:
        every = _sorted(every, sort)
    shown = {item.key for item in every}
    ended = (done for done in snapshot.done if done.transfer.id not in shown)
    made_at = before.made_at if stands else snapshot.at
    return Listing(items=(*every, *_lately(ended, room - len(every))), made_at=made_at, sort=sort)


def _kept(snapshot: Snapshot, before: Listing, *, forever: bool) -> dict[str, Item]:
    """The lines of before that still have a place, by id, with what is now known of them."""
    rows = {row.transfer.id: row for row in snapshot.rows}
    done = {item.transfer.id: item for item in snapshot.done}
    kept = {}
    for item in before.items:
        if item.row is None:
            continue
        if item.key in rows:
            kept[item.key] = _flying(rows[item.key])
        elif item.key in done:
            since = item.since or snapshot.at
            if forever or snapshot.at - since < SECOND:
                ended = done[item.key]
                kept[item.key] = Item(key=item.key, row=item.row, done=ended, since=since)
    return kept


def _flying(row: Row) -> Item:
    return Item(key=row.transfer.id, row=row)


def _sorted(items: Iterable[Item], sort: Sort) -> list[Item]:
    key = SORTS[sort.column]
    flying = [(key(item.row), item) for item in items if item.row is not None]
    flying.sort(key=lambda pair: pair[0], reverse=sort.reverse)
    return [item for _, item in flying]


def _lately(ended: Iterable[Done], room: int) -> tuple[Item, ...]:
    """Those that ended, as many as there is room for, below a line that says so."""
    items = tuple(Item(key=done.transfer.id, done=done) for done in ended)
    return (Item(key=""), *items[: room - 1]) if items and room > 2 else ()
