"""Draws how each phase goes, one row for each, so that numbers stand under one another."""

from collections.abc import Sequence
from itertools import pairwise

from rich.text import Text

from kvtrace import words
from kvtrace.snapshot import PhaseLine
from kvtrace.tui.frame import Frame
from kvtrace.tui.look import Look
from kvtrace.tui.text import pad

_NUMBERS = (("waiting", 9), ("stalled", 8), ("rate", 8), ("p50", 8), ("p99", 9))
_NAME = 13
_WIDEST_SPARK = 60
_WIDEST_PART = 3

_CALM = 3
"""How many times the median a sparkline has room for at least."""


def phases(frame: Frame) -> list[Text]:
    """The strip of phases, with a line of headings above it."""
    room = frame.width - 2
    numbers = _fitting(room)
    spark = min(room - _taken(numbers) - 2, _WIDEST_SPARK)
    lines = [_headings(frame.look, numbers, spark)]
    lines += [_line(line, frame.look, numbers, spark) for line in frame.snapshot.phases]
    return lines


def _fitting(room: int) -> tuple[tuple[str, int], ...]:
    numbers: tuple[tuple[str, int], ...] = _NUMBERS
    while _taken(numbers) > room:
        numbers = numbers[:-1]
    return numbers


def _taken(numbers: Sequence[tuple[str, int]]) -> int:
    return 3 + 1 + _NAME + sum(width for _, width in numbers)


def _headings(look: Look, numbers: Sequence[tuple[str, int]], spark: int) -> Text:
    line = Text(" ").append(pad("PHASE", 4 + _NAME), look.style("muted", bold=True))
    for name, width in numbers:
        line.append(pad(name, width, right=True), look.style("muted"))
    title = "p99 of time in phase, last 5 min" if spark >= 40 else "p99, 5 min"
    return line.append(f"  {title}" if spark >= len(title) else "", look.style("muted"))


def _line(line: PhaseLine, look: Look, numbers: Sequence[tuple[str, int]], spark: int) -> Text:
    drawn = Text(" ").append_text(look.chip(line.phase))
    drawn.append(" " + pad(line.phase.value.capitalize(), _NAME), look.style(line.phase.value))
    said = {
        "waiting": words.count(line.waiting),
        "stalled": f"{look.glyphs.stalled} {words.count(line.stalled)}",
        "rate": words.per_second(line.rate),
        "p50": words.duration(line.p50),
        "p99": words.duration(line.p99),
    }
    for name, width in numbers:
        style = look.style("text")
        if name == "stalled":
            style = look.style("stalled")
            if not line.stalled:
                said[name], style = words.UNKNOWN, look.style("muted")
        drawn.append(pad(look.words(said[name]), width, right=True), style)
    if spark > 0:
        role = line.phase.value if look.colour else "muted"
        drawn.append("  " + sparkline(line.history, spark, look), look.style(role))
    return drawn


def sparkline(history: Sequence[int], width: int, look: Look) -> str:
    """The history in at most so many columns, to its own scale; where a part has none, a blank.

    The scale leaves room above the median, so that what is as ever looks calm.
    """
    signs = look.glyphs.spark
    parts = [max(part) for part in _parts(history, width)]
    wide = min(width // max(len(parts), 1), _WIDEST_PART)
    known = sorted(part for part in parts if part >= 0) or [0]
    top = max(known[-1], _CALM * known[len(known) // 2]) + 1
    drawn = ""
    for part in parts:
        level = part * len(signs) // top if part > 0 else 0
        drawn += (" " if part < 0 else signs[level]) * wide
    return drawn


def _parts(history: Sequence[int], width: int) -> list[Sequence[int]]:
    """The history cut into at most so many parts of like length."""
    count = min(len(history), width)
    bounds = [index * len(history) // count for index in range(count + 1)] if count else []
    return [history[start:end] for start, end in pairwise(bounds)]
