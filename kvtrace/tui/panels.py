"""Puts the fleet screen's drawings together, each with the blank lines that its height allows."""

from rich.text import Text

from kvtrace.tui import preview
from kvtrace.tui.engines import engine_lines, engines
from kvtrace.tui.fitting import Rows, is_tiny, rows
from kvtrace.tui.frame import Frame
from kvtrace.tui.per_frame import per_frame
from kvtrace.tui.phases import phases
from kvtrace.tui.scrubber import height
from kvtrace.tui.surround import Around
from kvtrace.tui.verdict import verdict


@per_frame
def plan(frame: Frame) -> Rows:
    """Which parts there is room for."""
    said = len(verdict(frame))
    if is_tiny(frame.width, frame.height):
        left = frame.height - said - 1
        return Rows(header=left >= 6, losses=left >= 4 and frame.width >= 40)
    bar = height(frame)
    left = frame.height - bar - preview.height(frame)
    return rows(left, verdict=said, engines=engine_lines(frame), playing=bar > 0)


def surround(frame: Frame) -> Around:
    """What of header and losses there is room for."""
    shown = plan(frame)
    return Around(header=shown.header, losses=shown.losses, gap=shown.gaps >= 5)


def top(frame: Frame) -> list[Text]:
    """The verdict."""
    return [*_blank(plan(frame).gaps >= 4), *verdict(frame)]


def strip_of_phases(frame: Frame) -> list[Text]:
    """The phases, and the blank line above the table."""
    shown = plan(frame)
    lines = phases(frame) if shown.phases and frame.snapshot.phases else []
    return [*_blank(bool(lines) and shown.gaps >= 1), *lines, *_blank(shown.gaps >= 2)]


def above_phases(frame: Frame) -> int:
    """How many lines of that stand above the first phase."""
    return 2 if plan(frame).gaps >= 1 else 1


def line_of_engines(frame: Frame) -> list[Text]:
    """The engines, and the blank line above them."""
    shown = plan(frame)
    lines = engines(frame, shown.engines)
    return [*_blank(bool(lines) and shown.gaps >= 3), *lines]


def _blank(wanted: bool) -> list[Text]:
    return [Text()] if wanted else []
