"""The transfer that is opened: what is known of it, and where one looks in it."""

from typing import TypeAlias

import msgspec

from kvtrace.lanes import Point
from kvtrace.model import Phase, Place
from kvtrace.snapshot import Done, Row, Snapshot
from kvtrace.timeline import Due, Timeline, timeline

PointKey: TypeAlias = tuple[int, str, Place]
"""When, what and where: what tells one event of a transfer from the others."""


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """One transfer, as of one snapshot."""

    row: Row | None
    done: Done | None
    timeline: Timeline
    forgotten: bool = False
    """Whether the newest snapshot no longer has it."""

    to_scale: bool = False
    all_events: bool = False
    chosen: PointKey | None = None
    """The event under the cursor; the newest where None."""

    @property
    def id(self) -> str:
        """What the transfer is called."""
        known = self.row or self.done
        return known.id if known is not None else ""

    @property
    def stalled(self) -> bool:
        """Whether it has outlived its patience."""
        return self.row is not None and self.row.stalled

    @property
    def next_step(self) -> Due | None:
        """The missing step that holds up all others."""
        return next((due for due in self.timeline.missing if due.first), None)

    @property
    def points(self) -> list[Point]:
        """Its events in order."""
        every = (point for lane in self.timeline.lanes for point in lane.points)
        return sorted(every, key=lambda point: (point.at, point.kind))

    @property
    def spent(self) -> tuple[tuple[Phase, int], ...]:
        """Nanoseconds in each phase."""
        took = dict.fromkeys(Phase, 0)
        for share in self.timeline.stretches:
            took[share.stretch.phase] += share.took
        return tuple(took.items())

    @property
    def cursor(self) -> int:
        """Which of the points is under the cursor; -1 where there are none."""
        points = self.points
        keys = [key_of(point) for point in points]
        return keys.index(self.chosen) if self.chosen in keys else len(points) - 1


def key_of(point: Point) -> PointKey:
    """What tells the point from others."""
    return point.at, point.kind, point.place


def find(snapshot: Snapshot, key: str) -> Opened | None:
    """The transfer with that id; None where the snapshot does not have it."""
    row = next((row for row in snapshot.rows if row.transfer.id == key), None)
    done = next((done for done in snapshot.done if done.transfer.id == key), None)
    known = row or done
    if known is None:
        return None
    drawn = timeline(known.transfer, snapshot.clocks, snapshot.at, snapshot.handshakes)
    return Opened(row=row, done=done if row is None else None, timeline=drawn)
