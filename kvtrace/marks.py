"""What is worth a mark on a replay's bar, in as much room for a long recording as for a short."""

from enum import IntEnum
from typing import TypeAlias

import msgspec

PARTS = 1_024
"""Parts that a recording's length is cut into: more than a terminal has columns."""


class Kind(IntEnum):
    """What happened, the worst last."""

    ENGINE = 1
    """A process began, or was gone."""

    STALLED = 2
    FAILED = 3
    TORN = 4
    """The recording is damaged there."""


class Marked(msgspec.Struct, frozen=True):
    """Something that happened, and when: nanoseconds since the recording's start."""

    position: int
    kind: Kind


Counts: TypeAlias = tuple[int, ...]


class Marks(msgspec.Struct, frozen=True, kw_only=True):
    """What one look at the whole recording found, as far as it has come."""

    length: int = 0
    upto: int = 0
    """Nanoseconds since the start that were looked at."""

    whole: bool = False
    """Whether that is all of it."""

    density: Counts = ()
    """Events in each part."""

    marked: tuple[Marked, ...] = ()
    """In order; the first of each kind in each part."""

    events: int = 0

    def after(self, position: int, least: Kind = Kind.STALLED) -> Marked | None:
        """The next that is at least as bad."""
        found = (one for one in self.marked if one.position > position and one.kind >= least)
        return next(found, None)


class Marking:
    """Finds room for marks while a recording is looked at from its start to its end."""

    def __init__(self, length: int) -> None:
        self._length = max(length, 1)
        self._density = [0] * PARTS
        self._marked: dict[tuple[int, Kind], Marked] = {}
        self._events = 0

    def count(self, position: int) -> None:
        """One more event."""
        self._density[self._part(position)] += 1
        self._events += 1

    def mark(self, position: int, kind: Kind) -> None:
        """One more mark, unless there is one of the kind beside it."""
        place = self._part(position), kind
        known = self._marked.get(place)
        if known is None or position < known.position:
            self._marked[place] = Marked(max(position, 0), kind)

    def marks(self, upto: int, *, whole: bool = False) -> Marks:
        """All so far."""
        return Marks(
            length=self._length,
            upto=min(upto, self._length),
            whole=whole,
            density=tuple(self._density),
            marked=tuple(sorted(self._marked.values(), key=lambda one: (one.position, -one.kind))),
            events=self._events,
        )

    def _part(self, position: int) -> int:
        return min(max(position, 0) * PARTS // self._length, PARTS - 1)
