"""Where instants stand on a line of cells: to scale, or with quiet stretches folded."""

import math
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise

import msgspec

SHORT = 100_000
"""Nanoseconds; instants no further apart than that may share a column."""

QUIET = 0.1
"""Share of the whole time from which a stretch in which nothing happens is said to be folded."""

LABELLED = 24
"""Cells for a fold at the end, so that both its ends can be labelled."""


class Axis(msgspec.Struct, frozen=True):
    """Instants in order, each with its column; those between are interpolated."""

    instants: tuple[int, ...]
    columns: tuple[int, ...]
    folds: tuple[tuple[int, int], ...] = ()
    """First and last instant of each folded stretch."""

    @property
    def width(self) -> int:
        """How many columns there are."""
        return self.columns[-1] + 1

    def column(self, at: int) -> int:
        """The column of an instant."""
        if at <= self.instants[0]:
            return self.columns[0]
        pairs = zip(pairwise(self.instants), pairwise(self.columns), strict=True)
        for (start, end), (left, right) in pairs:
            if at <= end:
                return left + (right - left) * (at - start) // (end - start)
        return self.columns[-1]


def to_scale(instants: Iterable[int], width: int) -> Axis:
    """An axis on which equal times take equal cells."""
    ordered = sorted(set(instants))
    first, last = ordered[0], ordered[-1]
    span = max(last - first, 1)
    return Axis(tuple(ordered), tuple((at - first) * (width - 1) // span for at in ordered))


def folded(instants: Iterable[int], width: int, busy: Sequence[tuple[int, int]] = ()) -> Axis:
    """An axis on which short times are seen and long ones take few cells more.

    `busy` are times in which something goes on, so that they are not quiet.
    """
    ordered = sorted(set(instants))
    gaps = list(pairwise(ordered))
    weights = [_weight(end - start) for start, end in gaps]
    whole = ordered[-1] - ordered[0]
    folds = [
        (start, end)
        for start, end in gaps
        if end - start > QUIET * whole and not _overlaps(start, end, busy)
    ]
    tail = LABELLED if folds and folds[-1][1] == ordered[-1] and width > 3 * LABELLED else 0
    if tail:
        weights[-1] = sum(weights[:-1]) * tail / (width - tail)
    columns, scale = [0], (width - 1) / max(sum(weights), 1e-9)
    columns += [round(reached * scale) for reached in accumulate(weights)]
    return Axis(tuple(ordered), tuple(columns), tuple(folds))


def _weight(gap: int) -> float:
    """How many cells a gap wants, compared with others."""
    return 0.5 if gap <= SHORT else 1.5 + math.log2(gap / SHORT)


def _overlaps(start: int, end: int, busy: Sequence[tuple[int, int]]) -> bool:
    return any(began < end and start < ended for began, ended in busy)
