"""What the engines' instants are on our own clock, and how exactly we know it."""

import msgspec

from kvtrace.model import Mark


class Offset(msgspec.Struct, frozen=True):
    """What to add to one clock's instants to get another's."""

    ns: int
    error: int | None
    """Nanoseconds either way; None where nothing bounds it."""


class Clocks(msgspec.Struct, frozen=True):
    """Every clock we have heard of, against our own."""

    ours: str
    """The boot id that our own instants belong to."""

    offsets: dict[str, Offset] = {}
    """To ours, by boot id."""

    apart: int = 0
    """The largest error between the clocks of two engines that messages went between."""

    def to_ours(self, mark: Mark) -> tuple[int, int | None]:
        """The mark in nanoseconds of our clock, and the error; None where it has no bound."""
        if mark.clock == self.ours:
            return mark.at, 0
        offset = self.offsets.get(mark.clock)
        if offset is None:
            return mark.seen, None
        return mark.at + offset.ns, offset.error

    def instant(self, mark: Mark) -> int:
        """The mark in nanoseconds of our clock."""
        if mark.clock == self.ours:
            return mark.at
        return self.to_ours(mark)[0]
