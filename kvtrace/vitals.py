"""How long engines' steps take and how full their tables are, over five minutes."""

from kvtrace.events import StepSampled, TablesSampled
from kvtrace.moments import Record
from kvtrace.readings import TableLine, Vital

MOST_ENGINES = 1_024
MOST_TABLES = 24
"""Tables that are kept of an engine, by name."""

MOST_RANKS = 256
"""Ranks of an engine whose tables are added up."""

TOLD = frozenset((StepSampled, TablesSampled))
"""What says how an engine goes."""

_SECOND = 1_000_000_000
_PART = 10 * _SECOND
_PARTS = 30


class Vitals:
    """All engines that told of their steps or tables."""

    def __init__(self) -> None:
        self._engines: dict[str, _Pulse] = {}

    def hear(self, record: Record, at: int) -> None:
        """Take in what a process told of itself then, in nanoseconds of our clock."""
        if type(record.event) not in TOLD:
            return
        pulse = self._engines.pop(record.engine, None) or _Pulse()
        self._engines[record.engine] = pulse
        if len(self._engines) > MOST_ENGINES:
            del self._engines[next(iter(self._engines))]
        if isinstance(record.event, StepSampled):
            pulse.step(record.event, at)
        elif isinstance(record.event, TablesSampled):
            pulse.tables(record.rank, record.event, at)

    def lines(self, now: int) -> tuple[Vital, ...]:
        """How each goes, by engine."""
        return tuple(pulse.line(name, now) for name, pulse in self._engines.items())


class _Pulse:
    """What one engine told."""

    def __init__(self) -> None:
        self._longest: int | None = None
        self._mean: int | None = None
        self._steps: dict[int, int] = {}
        self._ranks: dict[int, TablesSampled] = {}
        self._sizes: dict[str, dict[int, int]] = {}
        self._heard = 0
        self._drawn: tuple[object, Vital] | None = None

    def step(self, event: StepSampled, at: int) -> None:
        """One more sample of a rank's steps; ranks step together, so the longest counts."""
        self._heard += 1
        part = at // _PART
        self._steps[part] = max(self._steps.get(part, 0), event.longest)
        _shorten(self._steps)
        self._longest = event.longest
        if event.steps:
            self._mean = event.total // event.steps

    def tables(self, rank: int, event: TablesSampled, at: int) -> None:
        """One more sample of a process' tables."""
        self._heard += 1
        if rank in self._ranks or len(self._ranks) < MOST_RANKS:
            self._ranks[rank] = event
        for name in event.sizes:
            if name in self._sizes or len(self._sizes) < MOST_TABLES:
                parts = self._sizes.setdefault(name, {})
                parts[at // _PART] = self._size(name)
                _shorten(parts)

    def line(self, engine: str, now: int) -> Vital:
        """How it goes; made anew when something came, or a part is over."""
        state = self._heard, now // _PART
        if self._drawn is None or self._drawn[0] != state:
            self._drawn = state, self._line(engine, now)
        return self._drawn[1]

    def _line(self, engine: str, now: int) -> Vital:
        return Vital(
            engine=engine,
            longest=self._longest,
            mean=self._mean,
            steps=_history(self._steps, now),
            tables=tuple(self._table(name, now) for name in sorted(self._sizes)),
        )

    def _table(self, name: str, now: int) -> TableLine:
        oldest = (told.oldest.get(name, 0) for told in self._ranks.values())
        return TableLine(
            name=name,
            size=self._size(name),
            oldest=max(oldest, default=0),
            history=_history(self._sizes[name], now),
        )

    def _size(self, name: str) -> int:
        return sum(told.sizes.get(name, 0) for told in self._ranks.values())


def _shorten(parts: dict[int, int]) -> None:
    while len(parts) > _PARTS:
        del parts[min(parts)]


def _history(parts: dict[int, int], now: int) -> tuple[int, ...]:
    last = now // _PART
    return tuple(parts.get(part, -1) for part in range(last - _PARTS + 1, last + 1))
