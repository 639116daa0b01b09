"""Draws the first row, where one is and how the snapshots come, and the last, the keys."""

from collections.abc import Sequence

from rich.text import Text

from kvtrace import words
from kvtrace.tui.frame import Frame, Mode
from kvtrace.tui.look import Look
from kvtrace.tui.text import beside, cut, flow, piece


def header(frame: Frame, path: Sequence[str]) -> Text:
    """Name, where one is, and on the right the mode and the time."""
    look = frame.look
    left = piece(" kvtrace  ", look.style("strong"))
    *parents, here = path
    for parent in parents:
        left.append(f"{parent} ", look.style("muted"))
        left.append(f"{look.glyphs.within} ", look.style("rule"))
    if parents:
        left.append(look.words(words.clean(here)), look.style("strong"))
    else:
        left.append(f" {here} ", _tab(look))
    return _bar(beside(left, _mode(frame), frame.width - 1, look.glyphs.cut), frame)


def keys(frame: Frame, bindings: Sequence[tuple[str, str]], *, note: str = "") -> Text:
    """The keys and what they do, those that do not fit dropped from the right; then a note."""
    look = frame.look
    if frame.notice:
        return _bar(piece(" " + cut(frame.notice, frame.width - 2), look.style("strong")), frame)
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
