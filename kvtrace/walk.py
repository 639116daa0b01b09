"""Walks through a recording, and knows at each moment what was known then."""

from collections.abc import Iterator
from typing import Any, Protocol

import msgspec

from kvtrace.census import Census
from kvtrace.checkpoints import Checkpoint, copied
from kvtrace.moments import Moment
from kvtrace.monitor import EVERY
from kvtrace.recording import Header
from kvtrace.snapshot import Snapshot


class Source(Protocol):
    """Moments that can be had again from a place on."""

    damage: str

    @property
    def header(self) -> Header:
        """What their times count from."""

    @property
    def place(self) -> Any:
        """Where it was read up to."""

    def __iter__(self) -> Iterator[Moment]:
        """The moments from there on."""

    def go(self, place: Any) -> None:
        """Be read from that place on."""


class Walk:
    """One that goes forward event by event, and from checkpoint to checkpoint."""

    def __init__(self, source: Source) -> None:
        header = source.header
        self._source = source
        self._header = header
        self._moments = iter(source)
        self._census = Census(header.clock)
        self._due: int | None = None
        self.taken = 0
        """Moments so far."""

        self.at = header.monotonic
        """The instant of the last."""

        self.ahead = next(self._moments, None)
        """The next; None at the end."""

    @property
    def damage(self) -> str:
        """What was wrong with the recording so far."""
        return self._source.damage

    @property
    def failures(self) -> int:
        """Transfers that are known to have failed, or to have been given up."""
        return self._census.failures

    def take(self) -> None:
        """Take in the next moment, if there is one, as a watch would that looks at its beats."""
        moment = self.ahead
        if moment is None:
            return
        self._census.take(moment)
        self.taken, self.at = self.taken + 1, moment.at
        self.ahead = next(self._moments, None)
        if self._due is None or moment.at >= self._due or self.ahead is None:
            self._due = moment.at + EVERY
            self._census.beat(moment.at)

    def look(self, at: int) -> Snapshot:
        """What is known at that instant, which tells the recorder's time of day."""
        return told(self._census.look(at), self._header)

    def stalled(self, at: int) -> dict[str, int]:
        """Since when each transfer that is stalled at that instant is."""
        rows = self._census.rows(at)
        return {row.transfer.id: at - row.waited + row.patience for row in rows if row.stalled}

    @property
    def checkpoint(self) -> Checkpoint:
        """All that is needed to come back here."""
        return Checkpoint(
            census=copied(self._census),
            taken=self.taken,
            at=self.at,
            due=self._due,
            ahead=self.ahead,
            place=self._source.place,
        )

    def go(self, to: Checkpoint) -> None:
        """Come back to where that was made."""
        self._census = copied(to.census)
        self.taken, self.at, self.ahead, self._due = to.taken, to.at, to.ahead, to.due
        self._source.go(to.place)
        self._moments = iter(self._source)


def told(snapshot: Snapshot, start: Header) -> Snapshot:
    """The snapshot with the time of day by whoever watched or recorded."""
    if not start.started_at:
        return snapshot
    wall = start.started_at + snapshot.at - start.monotonic
    return msgspec.structs.replace(snapshot, wall=wall)
