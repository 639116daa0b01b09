"""The halves whose spans are still to be made, in bounded room, and the names of those told."""

from kvtrace.events import RequestFinished
from kvtrace.moments import Record
from kvtrace.signals.account import Whose
from kvtrace.signals.logs import Context
from kvtrace.signals.open_half import OpenHalf, begin

RECORDS = 50
"""Of all open halves together, for each half that may be open: twice what most have."""


class Halves:
    """Open halves, the one that was begun first in front."""

    def __init__(self, limit: int) -> None:
        self.forgotten = 0
        """Halves that were given up for room."""

        self.overlong = 0
        """Records of halves that have too many."""

        self.late = 0
        """Records of halves whose spans were made without them."""

        self._limit = limit
        self._open: dict[Whose, OpenHalf] = {}
        self._told: dict[Whose, Context] = {}
        self._records = 0

    def __len__(self) -> int:
        return len(self._open)

    def __contains__(self, whose: Whose) -> bool:
        return whose in self._open

    def get(self, whose: Whose) -> OpenHalf | None:
        """The half, where it is open."""
        return self._open.get(whose)

    def take(self, whose: Whose, record: Record, seen: int) -> OpenHalf | None:
        """The half with the record in it; None where all of it was told before."""
        half = self._open.get(whose)
        if half is None:
            if whose in self._told:
                # A request ends long after its transfer.
                self.late += not isinstance(record.event, RequestFinished)
                return None
            half = self._open[whose] = begin(whose, seen)
        before = len(half.records)
        if not half.add(record, seen):
            self.overlong += 1
        self._records += len(half.records) - before
        if len(self._open) > self._limit or self._records > RECORDS * self._limit:
            self.forgotten += 1
            self.close(next(iter(self._open.values())))
        return half

    def due(self, now: int) -> list[OpenHalf]:
        """Those that are to be looked at even if nothing was heard of them."""
        return [half for half in self._open.values() if half.due <= now]

    def spoken_for_by(self, process: str) -> list[OpenHalf]:
        """Those of which this process told something."""
        return [h for h in self._open.values() if any(by == process for by, _ in h.records)]

    def context(self, whose: Whose) -> Context:
        """Where the half's spans are; empty where it was never heard of."""
        half = self._open.get(whose)
        return half.context if half is not None else self._told.get(whose, (b"", b""))

    def drop(self, half: OpenHalf) -> None:
        """Forget the half as if it had never been heard of."""
        del self._open[half.whose]
        self._records -= len(half.records)

    def close(self, half: OpenHalf) -> None:
        """Forget the half, but for its name: what comes late must not begin it anew."""
        self.drop(half)
        self._told[half.whose] = half.context
        if len(self._told) > 2 * self._limit:
            del self._told[next(iter(self._told))]
