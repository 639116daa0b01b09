"""Steps, polls and table sizes, which come too often to be events, as samples."""

from collections.abc import Callable, Mapping
from typing import Any

from kvtrace.events import Event, StepSampled, TablesSampled

WINDOW = 1_000_000_000
"""Nanoseconds between two samples at least; a parked engine steps a thousand times a second."""

UNCHANGED = 10 * WINDOW
"""Nanoseconds after which tables that did not change are sampled again."""


class Steps:
    """Counts an engine's steps, and its writer's loops, between two samples.

    Who steps counts here by itself, since a call for it would cost as much as what it counts. The
    writer's thread only ever adds to `loops` and `longest_gap`; who samples takes differences.
    """

    __slots__ = (
        *("began", "due", "forwards", "longest", "loops", "longest_gap", "polls"),
        *("sampled", "steps", "told_loops", "told_polls", "total"),
    )

    def __init__(self, now: int) -> None:
        self.sampled = now
        self.began = 0
        self.loops = self.polls = self.told_loops = self.told_polls = 0
        self._restart(now)

    def _restart(self, now: int) -> None:
        self.sampled = now
        self.due = now + WINDOW
        self.steps = self.forwards = self.longest = self.total = self.longest_gap = 0

    def sample(self, now: int) -> StepSampled:
        """What was counted since the last sample, which is told when it is due."""
        sample = StepSampled(
            window=now - self.sampled,
            steps=self.steps,
            forwards=self.forwards,
            longest=self.longest,
            total=self.total,
            loops=self.loops - self.told_loops,
            longest_gap=self.longest_gap,
            polls=self.polls - self.told_polls,
        )
        self.told_loops, self.told_polls = self.loops, self.polls
        self._restart(now)
        return sample


class Tables:
    """Looks at the sizes of a host's tables now and then."""

    __slots__ = ("_names", "_sampled", "_sizes", "due")

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self.due = 0
        """When it is time to look again."""

        self._sampled = 0
        self._sizes: dict[str, int] = {}

    def sample(
        self,
        record: Callable[[Event], None],
        host: Any,
        now: int,
        oldest: dict[str, int],
    ) -> None:
        """Record the sizes, if they changed or have not been told for long."""
        self.due = now + WINDOW
        sizes = {
            name: _size(table)
            for name, attribute in self._names.items()
            if (table := getattr(host, attribute, None)) is not None
        }
        if sizes == self._sizes and now - self._sampled < UNCHANGED:
            return
        self._sizes, self._sampled = sizes, now
        record(TablesSampled(sizes=sizes, oldest=oldest))


def _size(table: Any) -> int:
    return int(table.qsize() if hasattr(table, "qsize") else len(table))
