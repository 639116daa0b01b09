"""How long one phase took lately: percentiles over five minutes, in bounded room."""

from collections import Counter

_PART = 15_000_000_000
"""Nanoseconds of the parts that the five minutes are cut into."""

_PARTS = 20

_FINE = 7
"""Bits of a duration that are kept, so that a percentile is off by less than one in 128."""


class Durations:
    """Durations of one phase, by when they ended."""

    def __init__(self) -> None:
        self._parts: dict[int, Counter[int]] = {}
        self._ends: Counter[int] = Counter()

    def add(self, ended: int, duration: int) -> None:
        """Take in that the phase ended then, in nanoseconds, after so long."""
        self._parts.setdefault(ended // _PART, Counter())[_bucket(duration)] += 1
        self._ends[ended // 1_000_000_000] += 1

    def forget(self, now: int) -> None:
        """Drop what ended more than five minutes ago."""
        oldest = now // _PART - _PARTS + 1
        self._parts = {part: found for part, found in self._parts.items() if part >= oldest}
        oldest = now // 1_000_000_000 - 10
        self._ends = Counter({s: n for s, n in self._ends.items() if s >= oldest})

    def rate(self, now: int) -> float:
        """How many ended a second, over the last ten whole seconds."""
        second = now // 1_000_000_000
        return sum(self._ends[s] for s in range(second - 9, second + 1)) / 10

    def percentiles(self) -> tuple[int, int | None, int | None]:
        """How many there are, and their p50 and p99 in nanoseconds; None where none are."""
        total: Counter[int] = Counter()
        for found in self._parts.values():
            total.update(found)
        return total.total(), _rank(total, 50), _rank(total, 99)

    def history(self, now: int) -> tuple[int, ...]:
        """p99 of each part of the last five minutes, oldest first; -1 where none ended."""
        last = now // _PART
        parts = (self._parts.get(part) for part in range(last - _PARTS + 1, last + 1))
        return tuple(-1 if not part else _rank(part, 99) or 0 for part in parts)


def _bucket(duration: int) -> int:
    """The duration with all but its first bits cleared."""
    spare = max(0, duration.bit_length() - _FINE)
    return duration >> spare << spare


def _rank(found: Counter[int], percent: int) -> int | None:
    left = -(-found.total() * percent // 100)
    for duration in sorted(found):
        left -= found[duration]
        if left <= 0:
            return duration
    return None
