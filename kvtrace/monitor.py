"""Turns moments into snapshots, one after the other or only the last."""

from collections.abc import Callable, Iterable, Iterator

from kvtrace.census import Census
from kvtrace.courtesy import COURTESY
from kvtrace.moments import Moment
from kvtrace.snapshot import Snapshot, Stalls

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
        COURTESY.give_way()
        census.take(moment)
        told = due is None or moment.at >= due
        if told:
            snapshot = census.snapshot(moment.at)
            due = moment.at + max(every, apart(snapshot.totals.waiting, snapshot.totals.stalled))
            yield snapshot
    if moment is not None and not told:
        yield census.snapshot(moment.at)


def conclude(
    moments: Iterable[Moment], note: Callable[[Snapshot | Stalls], None], *, clock: str = ""
) -> Snapshot | None:
    """What is known at the end of these moments, the same as `watch` says last; None without any.

    Of the snapshots before it only who stalls is worked out, and noted.
    """
    census = Census(clock)
    due: int | None = None
    coming = iter(moments)
    ahead = next(coming, None)
    while (moment := ahead) is not None:
        census.take(moment)
        ahead = next(coming, None)
        if ahead is None:
            last = census.snapshot(moment.at)
            note(last)
            return last
        if due is None or moment.at >= due:
            found = census.stalls(moment.at)
            stalled = sum(row.stalled for row in found.rows)
            due = moment.at + max(EVERY, apart(found.waiting, stalled))
            note(found)
    return None


def apart(waiting: int, stalled: int) -> int:
    """Nanoseconds from one snapshot to the next: the more it holds, the more it cost to make."""
    work = ROW * waiting + STALLED * min(stalled, DIAGNOSED)
    return min(work, LATEST)
