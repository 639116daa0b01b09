"""How a replay stands: what its bar is drawn from."""

import math

import msgspec

from kvtrace.marks import Marks
from kvtrace.playback import Playback
from kvtrace.snapshot import Snapshot


class Track(msgspec.Struct, frozen=True, kw_only=True):
    """Where in the recording one is, and how one gets on."""

    length: int
    """Nanoseconds; never 0."""

    position: int = 0
    """Nanoseconds since the recording's start."""

    started_at: int = 0
    """Nanoseconds since the epoch; 0 where that is not known."""

    speed: float = 1.0
    paused: bool = False
    over: bool = False
    searched: float | None = None
    """How much of the way to where one wants to go is gone; None on no way."""

    said: str = ""
    """What went wrong."""

    marks: Marks = Marks()

    @property
    def share(self) -> float:
        """How much of it is past, from 0 to 1."""
        return min(max(self.position / self.length, 0.0), 1.0)

    def column(self, position: int, columns: int) -> int:
        """Where on a bar of so many columns that position is."""
        return min(max(round(position * (columns - 1) / self.length), 0), columns - 1)

    def at(self, column: int, columns: int) -> int:
        """The position of a column."""
        return round(self.length * min(max(column, 0), columns - 1) / max(columns - 1, 1))


def track(playback: Playback, snapshot: Snapshot) -> Track | None:
    """How the replay stands; None where one cannot go back and forth in it."""
    if playback.length is None:
        return None
    known = snapshot.wall and snapshot.at
    return Track(
        length=max(playback.length, 1),
        # Who plays learns of the end a frame later.
        position=min(playback.position, playback.length),
        started_at=snapshot.wall - (snapshot.at - playback.start) if known else 0,
        speed=playback.speed,
        paused=playback.paused,
        over=playback.over,
        searched=playback.searched,
        said=playback.said,
        marks=playback.marks,
    )


def speed_of(track: Track) -> str:
    """`10x`, or `max`."""
    return "max" if math.isinf(track.speed) else f"{track.speed:g}x"
