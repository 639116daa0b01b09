"""Measures functions in turn, in short bursts, so that a busy machine slows all of them alike."""

import gc
import random
import statistics
import time
from collections.abc import Callable

import msgspec

Work = Callable[[], int]
"""Works through one burst, and says how many times it did what is measured."""


BROKEN = ": broken"

Row = dict[str, str]
"""One line of a benchmark's table: what stands in it under which heading."""


class Timing(msgspec.Struct, frozen=True):
    """Nanoseconds for each time, over all bursts."""

    best: float
    median: float


def side_by_side(works: dict[str, Work], bursts: int = 300) -> dict[str, Timing]:
    """How long each takes; the bursts of all are mixed, and no garbage is collected meanwhile."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    collecting = gc.isenabled()
    gc.disable()
    try:
        for _ in range(bursts):
            for name, work in works.items():
                began = time.perf_counter_ns()
                times = work()
                taken[name].append((time.perf_counter_ns() - began) / times)
    finally:
        if collecting:
            gc.enable()
    return {name: Timing(min(every), statistics.median(every)) for name, every in taken.items()}


def between(base: list[float], ours: list[float]) -> tuple[float, float]:
    """Where the ratio of the medians, ours to the base's, lies in 19 of 20 samples drawn anew."""
    ratios = sorted(
        statistics.median(random.choices(ours, k=len(ours)))
        / statistics.median(random.choices(base, k=len(base)))
        for _ in range(400)
    )
    return ratios[10], ratios[390]


def promised(said: str, holds: bool) -> str:
    """A bound as the table tells it; whoever runs the benchmark learns where one is broken."""
    return said if holds else f"{said}{BROKEN}"


def broken(rows: list[Row]) -> bool:
    """Whether a promised bound is broken in any row."""
    return any(cell.endswith(BROKEN) for row in rows for cell in row.values())


def table(rows: list[Row]) -> str:
    """The rows as markdown, under the headings of the first."""
    headings = list(rows[0])
    lines = [headings, ["---"] + ["---:"] * (len(headings) - 1)]
    lines += [[row.get(heading, "") for heading in headings] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
