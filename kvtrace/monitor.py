"""Turns moments into snapshots."""

from collections.abc import Iterable, Iterator

from kvtrace.census import Census
from kvtrace.moments import Moment
from kvtrace.snapshot import Snapshot

EVERY = 100_000_000
"""Nanoseconds between two snapshots at least."""

LATEST = 1_000_000_000
"""Nanoseconds after which there is one, however much there is to look at."""

ROW = 100_000
"""Nanoseconds that each transfer in flight adds, so that looking leaves time to listen."""

STALLED = 750_000
"""The same for each that is stalled, since it is diagnosed."""

DIAGNOSED = 300
"""Stalled transfers that are diagnosed in one snapshot at most, about."""


def watch(moments: Iterable[Moment], *, clock: str = "", every: int = EVERY) -> Iterator[Snapshot]:
    """What is known after each tenth of a second of these moments, and at their end.

    It is more seldom where much is in flight, but once a second at least. `clock` is the boot id
    that the moments' own instants belong to. The first snapshot comes with the first moment; time
    is only what the moments say.
    """
    census = Census(clock)
    due: int | None = None
    told = True
    moment = None
    for moment in moments:
        census.take(moment)
        told = due is None or moment.at >= due
        if told:
            snapshot = census.snapshot(moment.at)
            due = moment.at + max(every, apart(snapshot))
            yield snapshot
    if moment is not None and not told:
        yield census.snapshot(moment.at)


def apart(snapshot: Snapshot) -> int:
    """Nanoseconds from this snapshot to the next: the more it holds, the more it cost to make."""
    totals = snapshot.totals
    work = ROW * totals.waiting + STALLED * min(totals.stalled, DIAGNOSED)
    return min(work, LATEST)
