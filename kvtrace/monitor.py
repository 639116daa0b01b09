"""Turns moments into snapshots."""

from collections.abc import Iterable, Iterator

from kvtrace.census import Census
from kvtrace.moments import Moment
from kvtrace.snapshot import Snapshot

EVERY = 100_000_000
"""Nanoseconds between two snapshots."""


def watch(moments: Iterable[Moment], *, clock: str = "", every: int = EVERY) -> Iterator[Snapshot]:
    """What is known after each tenth of a second of these moments, and at their end.

    `clock` is the boot id that the moments' own instants belong to. The first snapshot
    comes with the first moment; time is only what the moments say.
    """
    census = Census(clock)
    due: int | None = None
    told = True
    moment = None
    for moment in moments:
        census.take(moment)
        told = due is None or moment.at >= due
        if told:
            due = moment.at + every
            yield census.snapshot(moment.at)
    if moment is not None and not told:
        yield census.snapshot(moment.at)
