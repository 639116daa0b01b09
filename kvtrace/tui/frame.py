"""All that a drawing is made from, so that it is a pure function of one record."""

from datetime import tzinfo
from enum import StrEnum
from functools import cached_property

import msgspec

from kvtrace.snapshot import Losses, Snapshot, Totals
from kvtrace.tui.look import Look
from kvtrace.tui.names import Names
from kvtrace.tui.track import Track

NOTHING = Snapshot(
    at=0,
    wall=0,
    totals=Totals(),
    oldest=None,
    phases=(),
    rows=(),
    done=(),
    engines=(),
    losses=Losses(),
    events=0,
    rate=0.0,
)
"""What is known before the first snapshot."""


class Mode(StrEnum):
    """How the snapshots come."""

    LIVE = "live"
    REPLAY = "replay"
    PAUSED = "paused"
    OVER = "over"
    """There will be no more, and that is well."""

    LOST = "lost"
    """There will be no more, because the source died."""


class Status(msgspec.Struct, frozen=True):
    """How the snapshots come, and what is to be said about it."""

    mode: Mode = Mode.LIVE
    note: str = ""
    brief: str = ""
    """What is left of the note where there is little room."""


class Frame(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One snapshot, and where and how it is to be drawn."""

    snapshot: Snapshot = NOTHING
    look: Look = Look()
    width: int = 80
    height: int = 24
    source: str = ""
    status: Status = Status()
    zone: tzinfo | None = None
    """Of the times of day; local where None."""

    relative: bool = False
    """Whether events are told by how long ago they were."""

    track: Track | None = None
    """Of a replay that one can go back and forth in."""

    notice: str = ""
    """Stands in place of the keys."""

    @cached_property
    def names(self) -> Names:
        """What engines are called on screen."""
        return Names(self.snapshot, self.look)
