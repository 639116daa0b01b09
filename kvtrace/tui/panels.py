"""Puts the fleet screen's drawings together, each with the blank lines that its height allows."""

from rich.text import Text

from kvtrace.tui.engines import engine_lines, engines
from kvtrace.tui.fitting import Rows, is_tiny, rows
from kvtrace.tui.frame import Frame
from kvtrace.tui.header import header
from kvtrace.tui.losses import losses
from kvtrace.tui.phases import phases
from kvtrace.tui.verdict import verdict


def plan(frame: Frame) -> Rows:
    """Which parts there is room for."""
    said = len(verdict(frame))
    if is_tiny(frame.width, frame.height):
        left = frame.height - said - 1
        return Rows(header=left >= 6, losses=left >= 4 and frame.width >= 40)
    return rows(frame.height, verdict=said, engines=engine_lines(frame))


def top(frame: Frame) -> list[Text]:
    """The header, where there is room for it, then the verdict."""
    shown = plan(frame)
    lines = [header(frame, ["Fleet"])] if shown.header else []
    return [*lines, *_blank(shown.gaps >= 4), *verdict(frame)]


def strip_of_phases(frame: Frame) -> list[Text]:
    """The phases, and the blank line above the table."""
    shown = plan(frame)
    lines = phases(frame) if shown.phases and frame.snapshot.phases else []
    return [*_blank(bool(lines) and shown.gaps >= 1), *lines, *_blank(shown.gaps >= 2)]


def line_of_engines(frame: Frame) -> list[Text]:
    """The engines, and the blank line above them."""
    shown = plan(frame)
    lines = engines(frame, shown.engines)
    return [*_blank(bool(lines) and shown.gaps >= 3), *lines]


def own_losses(frame: Frame) -> list[Text]:
    """The losses, and the blank line above them."""
    shown = plan(frame)
    return [*_blank(shown.gaps >= 5), losses(frame)] if shown.losses else []


def _blank(wanted: bool) -> list[Text]:
    return [Text()] if wanted else []
