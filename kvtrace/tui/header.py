"""Draws the first row, where one is and how the snapshots come, and the last, the keys."""

from collections.abc import Sequence

from rich.text import Text

from kvtrace import words
from kvtrace.tui import scrubber
from kvtrace.tui.frame import Frame, Mode
from kvtrace.tui.look import Look
from kvtrace.tui.text import beside, cut, flow, piece

TABS = ("Fleet", "Causes", "Links", "Engines", "Events")
"""The screens that a digit leads to, in their order."""

_SHORT = {"Fleet": "Fleet", "Causes": "Cause", "Links": "Link", "Engines": "Eng", "Events": "Ev"}
"""What they are called where there is little room."""

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
        left.append(f"{look.glyphs.within} ", look.style("muted"))
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
            left.append(said, look.style("muted"))
    return _bar(beside(left, _mode(frame, here), frame.width - 1, look.glyphs.cut), frame)


def _labels(frame: Frame, here: str) -> list[str]:
    """The tabs as they fit: in full, then in short, at last digits alone but for the active one."""
    return _tabs_in(frame.width - 2 - _mode(frame, here).cell_len - len(_NAME), here)


def _tabs_in(room: int, here: str) -> list[str]:
    """The tabs in so many cells; digits where no names fit."""
    numbered = list(enumerate(TABS, 1))
    full = [f" {number} {tab} " for number, tab in numbered]
    short = [
        f" {number} {tab if tab == here else _SHORT[tab]}" + (" " if tab == here else "")
        for number, tab in numbered
    ]
    digits = [full[number - 1] if tab == here else f" {number} " for number, tab in numbered]
    return next((said for said in (full, short) if sum(map(len, said)) <= room), digits)


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


def _mode(frame: Frame, here: str = "") -> Text:
    """How the snapshots come, with as much of the note as leaves the tabs their names."""
    status = frame.status
    notes: tuple[str, ...] = (status.note, status.brief)
    if status.mode not in (Mode.REPLAY, Mode.PAUSED) or scrubber.height(frame) == 3:
        # A bar of three rows says it at its foot.
        notes = ()
    for note in notes:
        line = _mode_line(frame, note)
        room = frame.width - 2 - line.cell_len - len(_NAME)
        if note and (not here or _tabs_in(room, here) != _tabs_in(0, here)):
            return line
    return _mode_line(frame, "")


def _mode_line(frame: Frame, note: str) -> Text:
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
    if note:
        said += f"{',' if status.mode is Mode.PAUSED else ''} {note}"
    line.append(look.words(said), look.style("text" if calm else role))
    if frame.snapshot.wall:
        clock = words.time_of_day(frame.snapshot.wall, frame.zone)
        line.append(f"  {clock}", look.style("text"))
    return line
