"""Draws the first row, where one is and how the snapshots come, and the last, the keys."""

from collections.abc import Sequence

from rich.text import Text

from kvtrace import words
from kvtrace.tui.frame import Frame, Mode
from kvtrace.tui.look import Look
from kvtrace.tui.text import beside, cut, flow, piece

TABS = ("Fleet", "Causes", "Links", "Engines", "Events")
"""The screens that a digit leads to, in their order."""

_NAME = " kvtrace  "


def header(frame: Frame, path: Sequence[str]) -> Text:
    """Name, where one is, and on the right the mode and the time."""
    look = frame.look
    *parents, here = path
    if not parents:
        return _tabs(frame, here)
    left = piece(_NAME, look.style("strong"))
    for parent in parents:
        left.append(f"{parent} ", look.style("muted"))
        left.append(f"{look.glyphs.within} ", look.style("rule"))
    left.append(look.words(words.clean(here)), look.style("strong"))
    return _bar(beside(left, _mode(frame), frame.width - 1, look.glyphs.cut), frame)


def tab_at(frame: Frame, here: str, x: int) -> str | None:
    """Which tab is drawn at that column."""
    start = len(_NAME)
    for tab, said in zip(TABS, _labels(frame, here), strict=True):
        if start <= x < start + len(said):
            return tab
        start += len(said)
    return None


def _tabs(frame: Frame, here: str) -> Text:
    look = frame.look
    left = piece(_NAME, look.style("strong"))
    for tab, said in zip(TABS, _labels(frame, here), strict=True):
        if tab == here:
            left.append(said, _tab(look))
        else:
            left.append(said[:2], look.style("rule" if look.colour else "muted"))
            left.append(said[2:], look.style("muted"))
    return _bar(beside(left, _mode(frame), frame.width - 1, look.glyphs.cut), frame)


def _labels(frame: Frame, here: str) -> list[str]:
    """The tabs as they fit: those that are not active shrink to their digit."""
    named = [f" {number} {tab} " for number, tab in enumerate(TABS, 1)]
    room = frame.width - 2 - _mode(frame).cell_len - len(_NAME)
    if sum(map(len, named)) <= room:
        return named
    digits = [f" {number} " for number in range(1, len(TABS) + 1)]
    return [
        long if tab == here else short for tab, long, short in zip(TABS, named, digits, strict=True)
    ]


def keys(frame: Frame, bindings: Sequence[tuple[str, str]], *, note: str = "") -> Text:
    """The keys and what they do, those that do not fit dropped from the right; then a note."""
    look = frame.look
    if frame.notice:
        said = " " + cut(look.words(frame.notice), frame.width - 2)
        return _bar(piece(said, look.style("strong")), frame)
    items = [
        piece(look.words(key), look.style("strong")).append(f" {said}", look.style("muted"))
        for key, said in bindings
    ]
    if note:
        items.insert(2, piece(note, look.style("slow")))
    return _bar(Text(" ").append_text(flow(items, frame.width - 2, gap=2)), frame)


def _bar(line: Text, frame: Frame) -> Text:
    """The line on the ground of header and footer, across the whole width."""
    line.append(" " * max(frame.width - line.cell_len, 0))
    line.stylize_before(frame.look.ground)
    return line


def _tab(look: Look) -> str:
    ground = look.selection if look.colour else "reverse"
    return f"{look.style('strong')} {ground}"


def _mode(frame: Frame) -> Text:
    look, status = frame.look, frame.status
    signs = {
        Mode.LIVE: (look.glyphs.live, "write", "live"),
        Mode.REPLAY: (look.glyphs.playing, "text", "replay"),
        Mode.PAUSED: (look.glyphs.paused, "slow", "paused"),
        Mode.OVER: (look.glyphs.finished, "text", "replay over"),
        Mode.LOST: (look.glyphs.failed, "slow", "source lost"),
    }
    sign, role, said = signs[status.mode]
    calm = role in ("write", "text")
    line = piece(f"{sign} ", look.style(role))
    if status.note and status.mode in (Mode.REPLAY, Mode.PAUSED):
        said += f"{',' if status.mode is Mode.PAUSED else ''} {status.note}"
    line.append(look.words(said), look.style("text" if calm else role))
    if frame.snapshot.wall:
        clock = words.time_of_day(frame.snapshot.wall, frame.zone)
        line.append(f"  {clock}", look.style("text"))
    return line
