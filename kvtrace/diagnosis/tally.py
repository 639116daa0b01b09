"""Counts what each cause was named for, now and since we began."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

import msgspec

from kvtrace.causes import ABOUT, Cause, Kind
from kvtrace.diagnosed import CauseLine, Diagnosis
from kvtrace.snapshot import Done, Row

ENDS = (Kind.STALL, Kind.FAILURE, Kind.CORRUPTION)
"""What keeps a request from its answer, or from the right one."""

SHOWN = 16
"""Links, engines and transfers that are named beside a cause."""

T = TypeVar("T")


class Tally:
    """What ended with each cause, to which is added what waits now."""

    def __init__(self) -> None:
        self._ended: dict[Cause, CauseLine] = {}

    def ended(self, done: Done, at: int) -> None:
        """Take in a transfer that ended then, in nanoseconds of our clock."""
        if done.diagnosis is not None:
            line = _added(self._ended.get(done.diagnosis.cause), done.diagnosis, at, done.id)
            self._ended[line.cause] = msgspec.structs.replace(line, ended=line.ended + 1)

    def lines(
        self, rows: Iterable[Row], found: Mapping[str, Diagnosis], wrong: Iterable[Diagnosis]
    ) -> tuple[CauseLine, ...]:
        """Every cause: of the stalled transfers `found`, the worst of `rows` first, of engines
        `wrong`, and of what ended. What does more harm comes first: what waits now, then what
        failed, what holds blocks, what was slow, and what only could be; of these what was named
        most often, then what began first.
        """
        lines = dict(self._ended)
        stalled = [(row, found[row.transfer.id]) for row in rows if row.transfer.id in found]
        for row, diagnosis in reversed(stalled):
            now = diagnosis.since + row.waited
            line = _added(lines.get(diagnosis.cause), diagnosis, now, row.id)
            oldest = max(line.oldest or 0, row.waited)
            lines[line.cause] = msgspec.structs.replace(
                line, stalled=line.stalled + 1, oldest=oldest
            )
        for diagnosis in wrong:
            line = _added(lines.get(diagnosis.cause), diagnosis, diagnosis.since)
            lines[line.cause] = msgspec.structs.replace(
                line, stalled=line.stalled + 1, on_engines=line.on_engines + 1
            )
        return tuple(sorted(lines.values(), key=_worst_first))


def _added(line: CauseLine | None, diagnosis: Diagnosis, at: int, called: str = "") -> CauseLine:
    """The line, with what this diagnosis adds to it."""
    if line is None:
        line = CauseLine(cause=diagnosis.cause, since=diagnosis.since, last=at, worst=diagnosis)
    return msgspec.structs.replace(
        line,
        since=min(line.since, diagnosis.since),
        last=max(line.last, at),
        links=_first((diagnosis.link, *line.links)),
        engines=_first((*diagnosis.engines, *line.engines)),
        transfers=_first((called, *line.transfers)) if called else line.transfers,
        worst=diagnosis,
    )


def _first(names: Iterable[T]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(names))[:SHOWN]


def _worst_first(line: CauseLine) -> tuple[int, int, int]:
    return _harm(line), -(line.stalled or line.ended), line.since


def _harm(line: CauseLine) -> int:
    """From 0, for what transfers wait for now, to 5, for what only could make them slow."""
    kind = ABOUT[line.cause].kind
    slow, ends = kind is Kind.SLOW, kind in ENDS
    if line.is_hint:
        return 5
    if line.waiting or (line.stalled and ends):
        return 1 if slow else 0
    if slow:
        return 4
    return 2 if ends else 3
