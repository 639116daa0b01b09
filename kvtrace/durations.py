"""How long one phase took lately: percentiles over five minutes, in bounded room."""

from collections import Counter

_PART = 15_000_000_000
"""Nanoseconds of the parts that the five minutes are cut into."""

_PARTS = 20

_SECOND = 1_000_000_000

_FINE = 11
"""Bits of a duration that are kept, so that a percentile is off by less than one in 1,000."""


class Durations:
    """Durations of one phase, by when they ended."""

    def __init__(self) -> None:
        self._parts: dict[int, Counter[int]] = {}
        self._total: Counter[int] = Counter()
        self._ends: Counter[int] = Counter()
        self._ranked: dict[int, tuple[int, int]] = {}

    def add(self, ended: int, duration: int) -> None:
        """Take in that the phase ended then, in nanoseconds, after so long."""
        rounded = _rounded(duration)
        self._parts.setdefault(ended // _PART, Counter())[rounded] += 1
        self._total[rounded] += 1
        self._ends[ended // _SECOND] += 1

    def forget(self, now: int) -> None:
        """Drop what ended more than five minutes ago."""
        oldest = now // _PART - _PARTS + 1
        for part in [part for part in self._parts if part < oldest]:
            self._total -= self._parts.pop(part)
            self._ranked.pop(part, None)
        for second in [second for second in self._ends if second < now // _SECOND - 10]:
            del self._ends[second]

    def rate(self, now: int) -> float:
        """How many ended a second, over the last ten."""
        second = now // _SECOND
        return sum(self._ends[s] for s in range(second - 9, second + 1)) / 10

    def percentiles(self) -> tuple[int, int | None, int | None]:
        """How many there are, and their p50 and p99 in nanoseconds; None where none are."""
        return self._total.total(), _rank(self._total, 50), _rank(self._total, 99)

    def history(self, now: int) -> tuple[int, ...]:
        """p99 of each part of the last five minutes, oldest first; -1 where none ended."""
        last = now // _PART
        return tuple(self._p99(part) for part in range(last - _PARTS + 1, last + 1))

    def _p99(self, part: int) -> int:
        found = self._parts.get(part)
        if not found:
            return -1
        count = found.total()
        known = self._ranked.get(part)
        if known is None or known[0] != count:
            known = count, _rank(found, 99) or 0
            self._ranked[part] = known
        return known[1]


def _rounded(duration: int) -> int:
    """The nearest duration of which only the first bits are set."""
    spare = max(0, duration.bit_length() - _FINE)
    return (duration + (1 << spare >> 1)) >> spare << spare


def _rank(found: Counter[int], percent: int) -> int | None:
    left = -(-found.total() * percent // 100)
    for duration in sorted(found):
        left -= found[duration]
        if left <= 0:
            return duration
    return None
