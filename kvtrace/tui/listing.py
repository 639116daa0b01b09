"""The transfers table's lines in an order that holds still: made anew once a second."""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import msgspec

from kvtrace.filters import ALL, Filter
from kvtrace.model import Outcome, Phase
from kvtrace.snapshot import Done, Row, Snapshot
from kvtrace.tui.subjects import of_transfer

SECOND = 1_000_000_000
"""Nanoseconds for which an order stands, and for which what has ended stays in its place."""

SORTS: dict[str, Callable[[Row], Any]] = {
    "waited": lambda row: (not row.stalled, -row.waited),
    "phase": lambda row: (tuple(Phase).index(row.phase), -row.waited),
    "waits for": lambda row: (str(row.waits_for), -row.waited),
    "link": lambda row: (row.link.producer, row.link.consumer, -row.waited),
    "ranks": lambda row: (row.ranks[0] - row.ranks[1], -row.waited),
    "size": lambda row: -row.size,
    "age": lambda row: -row.age,
    "transfer": lambda row: row.id,
}
"""Columns that can be sorted by, with the key that puts what matters first."""


class Sort(msgspec.Struct, frozen=True):
    """By which column, and whether from its other end."""

    column: str = "waited"
    reverse: bool = False


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """Which transfers are to be seen, and which of them first."""

    filter: Filter = ALL
    marked: frozenset[str] = frozenset()
    """Ids of transfers."""

    only_marked: bool = False
    followed: str | None = None
    """The id of the transfer that stays on top, whatever becomes of it."""

    @property
    def narrows(self) -> bool:
        """Whether anything may be hidden."""
        return self.only_marked or bool(self.filter.tests)

    def keeps(self, known: Row | Done, snapshot: Snapshot) -> bool:
        """Whether the transfer is to be seen."""
        name = known.transfer.id
        if name == self.followed:
            return True
        if self.only_marked and name not in self.marked:
            return False
        if not self.filter.tests:
            return True
        return self.filter.fits(of_transfer(known, snapshot))


EVERYTHING = Choice()


class Item(msgspec.Struct, frozen=True, kw_only=True, gc=False):
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


class Listing(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The lines, and when their order was made."""

    items: tuple[Item, ...] = ()
    made_at: int = 0
    sort: Sort = Sort()
    choice: Choice = EVERYTHING
    of: tuple[Snapshot, int] | None = None
    """The snapshot it was made of, and for how much room."""

    flying: tuple[Item, ...] = ()
    """Those of the lines that stand above what ended lately, however much room there is."""

    ended: tuple[Done, ...] = ()
    """What ended lately and is to be seen where there is room."""

    @cached_property
    def shown(self) -> int:
        """How many lines are transfers in flight."""
        return sum(item.row is not None and item.done is None for item in self.flying)

    @property
    def top(self) -> int:
        """The first line that is a transfer."""
        return next((i for i, item in enumerate(self.items) if item.key), 0)

    def trouble(self, at: int, by: int) -> int | None:
        """The next line that is in trouble, counting from that one and around the end."""
        count = len(self.items)
        turns = ((at + by * step) % count for step in range(1, count + 1))
        return next((index for index in turns if self.items[index].is_trouble), None)

    def index(self, key: str | None) -> int | None:
        """The line of the transfer with that id."""
        if not key:
            return None
        return next((i for i, item in enumerate(self.items) if item.key == key), None)


def arrange(
    snapshot: Snapshot, before: Listing, sort: Sort, room: int, choice: Choice = EVERYTHING
) -> Listing:
    """The snapshot's transfers: in flight, and below, while there is room, those that ended.

    Within a second, and with the same sort and choice, lines stay where they were before; new
    ones come last.
    """
    same = before.sort == sort and before.choice == choice
    if same and before.of is not None and before.of[0] is snapshot:
        return before if before.of[1] == room else _in(room, before)
    stands = same and 0 <= snapshot.at - before.made_at < SECOND
    if stands:
        every = _standing(snapshot, before, choice)
    else:
        every = _anew(snapshot, before if same else Listing(), sort, choice)
    every, done = _followed_first(every, snapshot, choice.followed)
    shown = {item.key for item in every if item.done is not None}
    ended = [done for done in done if done.transfer.id not in shown]
    if choice.narrows:
        ended = [done for done in ended if choice.keeps(done, snapshot)]
    made = Listing(
        made_at=before.made_at if stands else snapshot.at,
        sort=sort,
        choice=choice,
        of=(snapshot, room),
        flying=tuple(every),
        ended=tuple(ended),
    )
    return _in(room, made)


def _in(room: int, made: Listing) -> Listing:
    """The same lines in so much room, which may differ in what ended lately alone."""
    least = len(made.ended) + 1 if made.choice.narrows else 0
    lately = _lately(made.ended, max(room - len(made.flying), least))
    of = (made.of[0], room) if made.of is not None else None
    return msgspec.structs.replace(made, items=(*made.flying, *lately), of=of)


def _followed_first(
    items: list[Item], snapshot: Snapshot, followed: str | None
) -> tuple[list[Item], tuple[Done, ...]]:
    """The followed transfer on top, also when it has ended; and those that ended, without it."""
    if followed is None:
        return items, snapshot.done
    mine = [item for item in items if item.key == followed]
    others = [item for item in items if item.key != followed]
    rest = tuple(done for done in snapshot.done if done.transfer.id != followed)
    if not mine:
        ended = (done for done in snapshot.done if done.transfer.id == followed)
        mine = [Item(key=followed, done=done) for done in ended]
    return [*mine, *others], rest


def _standing(snapshot: Snapshot, before: Listing, choice: Choice) -> list[Item]:
    """The lines of before in their places, with what is now known of them, and then new ones."""
    rows = {row.transfer.id: row for row in snapshot.rows}
    done = {item.transfer.id: item for item in snapshot.done}
    kept = {}
    for item in before.items:
        if item.row is None:
            continue
        if item.key in rows:
            kept[item.key] = _flying(rows[item.key])
        elif item.key in done:
            kept[item.key] = _over(item, done[item.key], snapshot)
    fresh = [row for row in snapshot.rows if row.transfer.id not in kept]
    if choice.narrows:
        fresh = [row for row in fresh if choice.keeps(row, snapshot)]
    return [*kept.values(), *map(_flying, fresh)]


def _anew(snapshot: Snapshot, before: Listing, sort: Sort, choice: Choice) -> list[Item]:
    """Every line in the place that it has now, also of those that ended less than a second ago."""
    done = {item.transfer.id: item for item in snapshot.done}
    over = (
        _over(item, done[item.key], snapshot)
        for item in before.items
        if item.row is not None and item.key in done
    )
    left = (item for item in over if snapshot.at - item.since < SECOND)
    every = [*map(_flying, snapshot.rows), *left]
    if choice.narrows:
        every = [one for one in every if one.row is None or choice.keeps(one.row, snapshot)]
    return _sorted(every, sort, snapshot)


def _over(item: Item, done: Done, snapshot: Snapshot) -> Item:
    """The same line, of what has ended since."""
    return Item(key=item.key, row=item.row, done=done, since=item.since or snapshot.at)


def _flying(row: Row) -> Item:
    return Item(key=row.transfer.id, row=row)


def _sorted(items: Iterable[Item], sort: Sort, snapshot: Snapshot) -> list[Item]:
    key = SORTS.get(sort.column) or _by_cause(snapshot)
    flying = [(key(item.row), item) for item in items if item.row is not None]
    flying.sort(key=lambda pair: pair[0], reverse=sort.reverse)
    return [item for _, item in flying]


def _by_cause(snapshot: Snapshot) -> Callable[[Row], Any]:
    """Those with one cause together, the ones without any last."""

    def key(row: Row) -> tuple[bool, str, int]:
        found = snapshot.diagnoses.get(row.transfer.id)
        return found is None, found.label if found is not None else "", -row.waited

    return key


def _lately(ended: Iterable[Done], room: int) -> tuple[Item, ...]:
    """Those that ended, as many as there is room for, below a line that says so."""
    items = tuple(Item(key=done.transfer.id, done=done) for done in ended)
    return (Item(key=""), *items[: room - 1]) if items and room > 2 else ()
