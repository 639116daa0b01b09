"""How fast events come in and phases are passed, and how late we hear of it."""

from collections import Counter

from kvtrace.clocks import Clocks
from kvtrace.durations import Durations
from kvtrace.model import Phase
from kvtrace.moments import Moment, Record
from kvtrace.phases import Stretch, spent
from kvtrace.snapshot import PhaseLine, Row

SECOND = 1_000_000_000


class Flow:
    """Counts by the second, and the durations of each phase."""

    def __init__(self) -> None:
        self._durations = {phase: Durations() for phase in Phase}
        self._seconds: Counter[int] = Counter()
        self._began: int | None = None
        self._lag: int | None = None

    def hear(self, moment: Moment, clocks: Clocks) -> None:
        """Count what arrived in the second in which it happened."""
        seen = moment.at
        if self._began is None:
            self._began = seen
        record = moment.news
        if not isinstance(record, Record):
            return
        instant = record.at
        if record.clock != clocks.ours:
            offset = clocks.offsets.get(record.clock)
            instant = seen if offset is None else record.at + offset.ns
        self._seconds[instant // SECOND] += 1
        # What happened before we began to listen was not late; we were.
        if instant >= self._began and (self._lag is None or seen - instant < self._lag):
            self._lag = max(0, seen - instant)

    def passed(self, found: tuple[Stretch, ...], finished: bool) -> None:
        """Count each phase that an ended transfer passed, with all its waits in it.

        One that did not finish never passed its last.
        """
        last = {one.phase: one.ended for one in found if one.ended is not None}
        took = spent(found, 0)
        for phase, ended in last.items():
            passed = finished or phase is not found[-1].phase
            if passed and took[phase] > 0:
                self._durations[phase].add(ended, took[phase])

    def forget(self, now: int) -> None:
        """Drop what is too old to count."""
        for durations in self._durations.values():
            durations.forget(now)
        oldest = now // SECOND - 10
        for second in [second for second in self._seconds if second < oldest]:
            del self._seconds[second]

    def rate(self, now: int) -> float:
        """Events a second, over the last ten."""
        second = now // SECOND
        return sum(self._seconds[s] for s in range(second - 9, second + 1)) / 10

    def take_lag(self) -> int:
        """Nanoseconds between the freshest event since last asked and its arrival; else 0."""
        lag, self._lag = self._lag, None
        return lag or 0

    def phase_lines(self, rows: tuple[Row, ...], now: int) -> tuple[PhaseLine, ...]:
        """A line for each phase, in their order."""
        waiting = Counter(row.phase for row in rows)
        stalled = Counter(row.phase for row in rows if row.stalled)
        lines = []
        for phase, durations in self._durations.items():
            count, p50, p99 = durations.percentiles()
            lines.append(
                PhaseLine(
                    phase=phase,
                    waiting=waiting[phase],
                    stalled=stalled[phase],
                    rate=durations.rate(now),
                    count=count,
                    p50=p50,
                    p99=p99,
                    history=durations.history(now),
                )
            )
        return tuple(lines)
