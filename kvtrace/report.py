"""Snapshots as plain text: a line for each thing that happens, and the table of one snapshot."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import tzinfo
from itertools import chain
from typing import NamedTuple

from kvtrace import words
from kvtrace.causes import Cause
from kvtrace.model import Link, Outcome, Place
from kvtrace.snapshot import Done, EngineLine, Losses, PhaseLine, Row, Snapshot, Totals

NO_ENGINE = "No engine heard yet: start vLLM with KVTRACE=1 in its environment."

SECOND = 1_000_000_000

QUIET = 10 * SECOND
"""Nanoseconds after which the status is said again though it is the same."""

Names = Mapping[str, str]


class Line(NamedTuple):
    """One thing that happened, and when by the time of day."""

    wall: int
    what: str
    text: str


class Reporter:
    """Follows snapshots and says what changed, each thing once."""

    def __init__(self, zone: tzinfo | None = None) -> None:
        """Times are local where no zone is given."""
        self._zone = zone
        self._day: tuple[str, str] | None = None
        self._stalled: dict[str, Row] = {}
        self._causes: dict[str, Cause] = {}
        self._ended: set[tuple[str, Outcome]] = set()
        self._gone = 0
        self._status = ""
        self._status_at: int | None = None
        self._began: int | None = None

    def lines(self, snapshot: Snapshot) -> Iterator[str]:
        """What to print for this snapshot; often nothing."""
        for line in chain(self._ends(snapshot), self._stalls(snapshot), self._summary(snapshot)):
            yield from self._stamped(line)

    def last(self, snapshot: Snapshot) -> Iterator[str]:
        """How things stand in the end, unless that was said; after `lines` of the same snapshot."""
        text = status(snapshot)
        if text != self._status:
            yield from self._stamped(Line(snapshot.wall, "status", text))

    def _stamped(self, line: Line) -> Iterator[str]:
        """The line with its time, after one with the date and the zone where those are others."""
        day = words.date_and_zone(line.wall, self._zone)
        time = words.moment_of_day(line.wall, self._zone)
        if line.wall and day != self._day:
            self._day = day
            yield f"{time} {'date':9} {day[0]}, times are {day[1]}"
        yield f"{time} {line.what:9} {line.text}"

    def _ends(self, snapshot: Snapshot) -> Iterator[Line]:
        fresh = [done for done in snapshot.done if _key(done) not in self._ended]
        self._ended = {_key(done) for done in snapshot.done}
        before, self._gone = self._gone, _gone(snapshot.totals)
        for done in reversed(fresh):
            # By the same clock as all else: those of the engines' hosts may tell other times.
            wall = snapshot.wall - (snapshot.at - done.at)
            yield Line(wall, done.outcome, ended(done, snapshot.names))
        unseen = self._gone - before - len(fresh)
        if unseen > 0 and len(fresh) == len(snapshot.done):
            yield Line(snapshot.wall, "ended", f"{words.count(unseen)} more, too many to list")

    def _stalls(self, snapshot: Snapshot) -> Iterator[Line]:
        present = {row.transfer.id: row for row in snapshot.rows}
        for key, old in list(self._stalled.items()):
            row = present.get(key)
            if row is None or row.phase is not old.phase or not row.stalled:
                del self._stalled[key]
                self._causes.pop(key, None)
            if row is not None and key not in self._stalled:
                yield Line(
                    snapshot.wall, "unstuck", f"{words.clean(row.id)} after stalling in {old.phase}"
                )
        for key, row in present.items():
            if row.stalled and key not in self._stalled:
                self._stalled[key] = row
                yield Line(snapshot.wall, "stalled", waiting(row, snapshot.names))
            yield from self._blamed(row, snapshot)

    def _blamed(self, row: Row, snapshot: Snapshot) -> Iterator[Line]:
        """Why it is stalled, when that is known, or another reason than before."""
        found = snapshot.diagnoses.get(row.transfer.id)
        before = self._causes.get(row.transfer.id)
        if found is None or found.cause == before:
            return
        self._causes[row.transfer.id] = found.cause
        sentence = words.clean(found.sentence)
        yield Line(snapshot.wall, "because", f"{words.clean(row.id)}: {found.label}: {sentence}")

    def _summary(self, snapshot: Snapshot) -> Iterator[Line]:
        if self._began is None:
            self._began = snapshot.at
        if not snapshot.engines and snapshot.at - self._began < SECOND:
            return
        since = None if self._status_at is None else snapshot.at - self._status_at
        if since is not None and since < SECOND:
            return
        text = status(snapshot)
        if since is None or text != self._status or since >= QUIET:
            self._status, self._status_at = text, snapshot.at
            yield Line(snapshot.wall, "status", text)


def status(snapshot: Snapshot) -> str:
    """How things stand, in one line."""
    foreign = of_others(snapshot.losses)
    if not snapshot.engines:
        return f"{NO_ENGINE} Received: {foreign}." if foreign else NO_ENGINE
    totals = snapshot.totals
    oldest = "" if snapshot.oldest is None else f", the oldest for {words.wait(snapshot.oldest)}"
    return (
        f"{words.count(len(snapshot.rows))} in flight, {words.count(totals.stalled)} stalled"
        f"{oldest}; {words.count(totals.finished)} finished, {words.count(totals.failed)} failed, "
        f"{words.count(totals.abandoned)} abandoned; {losses(snapshot.losses)}"
        f"{foreign and f'; {foreign}'}"
    )


def of_others(line: Losses) -> str:
    """What was received and is none of ours, which is no loss; empty where there is nothing."""
    if not line.foreign:
        return ""
    return (
        f"{words.many(line.foreign, 'log record or span', 'log records and spans')} not kvtrace's"
    )


def losses(line: Losses) -> str:
    """What was not seen, or not exactly."""
    parts = {
        "overwritten": line.overwritten,
        "unreadable": line.unreadable,
        "of a newer kind": line.unknown,
        "without room in a ledger": line.ledger_full,
        "refused by an endpoint": line.refused,
        "requests turned away": line.turned_away,
        "forgotten": line.forgotten,
        "ambiguous": line.ambiguous,
    }
    told = [f"{words.count(number)} {name}" for name, number in parts.items() if number]
    return "lost: " + ", ".join(told) if told else "nothing lost"


def waiting(row: Row, names: Names) -> str:
    """What one transfer in flight waits for."""
    gone = " (gone)" if row.gone else ""
    awaited = f"waits for {place(row.waits_for, names)}{gone}, " if row.waits_for else ""
    return (
        f"{words.clean(row.id)} in {row.phase} for {words.wait(row.waited)}, "
        f"{awaited}{link(row.link, names)}"
    )


def ended(done: Done, names: Names) -> str:
    """How one transfer went."""
    phases = ", ".join(f"{phase} {words.duration(waited)}" for phase, waited in done.phases)
    return (
        f"{words.clean(done.id)} in {words.duration(done.took)}, {words.size(done.size)}, "
        f"{link(done.link, names)}: {phases}"
    )


def place(where: Place, names: Names) -> str:
    """An engine's scheduler or rank: `D0 scheduler`, `P0 rank 1`."""
    part = "scheduler" if where.is_scheduler else f"rank {where.rank}"
    return f"{_name(where.engine, names) if where.engine else where.role} {part}"


def link(between: Link, names: Names) -> str:
    """Producer and consumer: `P0 -> D0`, with `?` for one not heard of."""
    return f"{_name(between.producer, names)} -> {_name(between.consumer, names)}"


def table(snapshot: Snapshot) -> Iterable[str]:
    """The whole snapshot, for someone who looks once."""
    if not snapshot.engines:
        return [status(snapshot)]
    names = snapshot.names
    return [
        status(snapshot),
        "",
        *_columns(PHASES, [_phase_cells(line) for line in snapshot.phases]),
        *(["", "In flight"] if snapshot.rows else []),
        *_columns(ROWS, [_row_cells(row, snapshot) for row in snapshot.rows]),
        *(["", "Ended last"] if snapshot.done else []),
        *_columns(DONE, [_done_cells(done, names) for done in snapshot.done[:10]]),
        "",
        "Engines",
        *_columns(ENGINES, [_engine_cells(line) for line in snapshot.engines]),
    ]


PHASES = ("phase", ">waiting", ">stalled", ">rate", ">p50", ">p99")
ROWS = (" ", ">waited", "phase", "cause", "waits for", "link", ">ranks", ">size", ">age", "id")
DONE = ("outcome", ">took", "link", ">size", "id")
ENGINES = ("engine", "role", "state", ">ranks", ">in flight", ">waited for", ">heard", "id")
"""Titles of columns; those with > have their cells to the right."""


def _phase_cells(line: PhaseLine) -> tuple[str, ...]:
    return (
        str(line.phase),
        words.count(line.waiting),
        words.count(line.stalled),
        words.per_second(line.rate),
        words.duration(line.p50),
        words.duration(line.p99),
    )


def _row_cells(row: Row, snapshot: Snapshot) -> tuple[str, ...]:
    names, found = snapshot.names, snapshot.diagnoses.get(row.transfer.id)
    return (
        "!" if row.stalled else " ",
        words.wait(row.waited),
        str(row.phase),
        found.label if found is not None else words.UNKNOWN,
        place(row.waits_for, names) + " (gone)" * row.gone if row.waits_for else words.UNKNOWN,
        link(row.link, names),
        f"{row.ranks[0]}/{row.ranks[1]}",
        words.size(row.size),
        words.wait(row.age),
        words.clean(row.id),
    )


def _done_cells(done: Done, names: Names) -> tuple[str, ...]:
    return (
        str(done.outcome),
        words.duration(done.took),
        link(done.link, names),
        words.size(done.size),
        words.clean(done.id),
    )


def _engine_cells(line: EngineLine) -> tuple[str, ...]:
    return (
        words.clean(line.name),
        line.roles,
        line.state,
        words.count(line.ranks),
        words.count(line.in_flight),
        words.count(line.waited_for),
        words.wait(line.heard),
        words.clean(line.id),
    )


def _columns(titles: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    """Titles and cells under each other; nothing where there is no row."""
    if not rows:
        return
    whole = [tuple(title.lstrip(">") for title in titles), *rows]
    widths = [max(len(cells[index]) for cells in whole) for index in range(len(titles))]
    for cells in whole:
        parts = [
            cell.rjust(width) if title.startswith(">") else cell.ljust(width)
            for cell, title, width in zip(cells, titles, widths, strict=True)
        ]
        yield "  ".join(parts).rstrip()


def _name(engine: str, names: Names) -> str:
    return words.clean(names.get(engine, engine)) or "?"


def _key(done: Done) -> tuple[str, Outcome]:
    # What is heard late can change how a transfer ended, and that is news.
    return done.transfer.id, done.outcome


def _gone(totals: Totals) -> int:
    return totals.finished + totals.failed + totals.abandoned
