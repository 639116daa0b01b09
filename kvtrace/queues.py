"""Who stands in a producer's queue, and when that queue moved last.

A writer comes to one transfer after the other. Under a burst the last of them waits for seconds,
and all is well as long as those that came before it are served.
"""

from bisect import bisect_left, bisect_right

from kvtrace.clocks import Clocks
from kvtrace.events import MatchMade, RegistrationNoticed, WriteFinished, WritePosted
from kvtrace.model import Mark
from kvtrace.moments import Moment, Record
from kvtrace.pairing import whose
from kvtrace.standing import Standing
from kvtrace.table import Table
from kvtrace.transfer import Transfer

SERVES = frozenset((RegistrationNoticed, MatchMade, WritePosted, WriteFinished))
"""What a producer's worker tells of a transfer that it comes to."""

KEPT = 1_000
"""Of one producer, places in its queue at most."""


class Queues:
    """When each producer last came to a transfer that had come before another."""

    def __init__(self) -> None:
        self._places: dict[str, tuple[list[int], list[int]]] = {}

    def hear(self, moment: Moment, table: Table, clocks: Clocks) -> None:
        """Note it where a producer tells that it came to one of the table's transfers."""
        record = moment.news
        if not isinstance(record, Record) or type(record.event) not in SERVES:
            return
        key = whose(record)
        name = None if key is None else table.find(key)
        if name is not None:
            at = clocks.instant(Mark(record.at, record.wall, record.clock, moment.at))
            # What a damaged mark or a clock says of the future keeps nobody patient until then.
            self.serve(record.engine, entered(table[name], clocks), min(at, moment.at))

    def serve(self, producer: str, entered: int, at: int) -> None:
        """It came to a transfer that entered then, at that instant."""
        entries, served = self._places.setdefault(producer, ([], []))
        place = bisect_right(entries, entered)
        if place and served[place - 1] >= at:
            return
        # Later, and nearer to the front: that says more for everybody than what was known.
        told_better = slice(bisect_left(entries, entered), bisect_right(served, at))
        entries[told_better], served[told_better] = [entered], [at]
        if len(entries) > KEPT:
            del entries[0], served[0]

    def waits(self, transfer: Transfer, standing: Standing, clocks: Clocks) -> int:
        """Nanoseconds for which its queue has moved since its present wait began; else 0."""
        moved = self.moved(standing.link.producer, entered(transfer, clocks))
        return 0 if moved is None else max(0, moved - standing.since)

    def moved(self, producer: str, entered: int) -> int | None:
        """When the producer last came to one that entered before; None if it never did."""
        entries, served = self._places.get(producer, ((), ()))
        place = bisect_left(entries, entered)
        return served[place - 1] if place else None


def entered(transfer: Transfer, clocks: Clocks) -> int:
    """When it was first heard of where the queue is; else on the other side."""
    half = transfer.producer or transfer.consumer
    assert half is not None
    return clocks.instant(next(iter(half.told.values())).mark)
