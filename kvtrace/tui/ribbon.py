"""Draws a transfer's time: its axis, what it waited for along it, and the longest wait."""

from collections.abc import Sequence

from rich.text import Text

from kvtrace import words
from kvtrace.phases import Stretch
from kvtrace.tui.axis import Axis
from kvtrace.tui.canvas import Canvas
from kvtrace.tui.frame import Frame
from kvtrace.tui.text import cells


def axis_line(axis: Axis, ends: Sequence[int], frame: Frame, *, open: bool) -> Text:
    """Times since the first instant where they stand, folds marked; `ends` are named first."""
    look, start, last = frame.look, axis.instants[0], axis.instants[-1]
    canvas = Canvas(axis.width, 1)
    whole = look.words(words.wait(last - start) if open else words.duration(last - start))
    said = f"now {whole}" if open else whole
    canvas.put(axis.width - cells(said), 0, said, look.style("strong"))
    canvas.label(0, 0, "0 ", look.style("muted"))
    for began, ended in axis.folds:
        middle = (axis.column(began) + axis.column(ended)) // 2
        canvas.label(middle - 1, 0, f" {look.glyphs.fold} ", look.style("rule"))
    folds = [instant for fold in axis.folds for instant in fold]
    for instant in (*folds, *ends, *axis.instants):
        label = look.words(words.duration(instant - start))
        if instant > start:
            canvas.label(axis.column(instant), 0, f"{label} ", look.style("muted"))
    return canvas.lines()[0]


def ribbon(stretches: Sequence[Stretch], axis: Axis, frame: Frame, who: str) -> Text:
    """The axis cut into phases, each named where there is room; `who` is waited for in the last."""
    canvas = Canvas(axis.width, 1)
    for stretch in stretches:
        _stretch(canvas, stretch, span(stretch, axis), frame, who)
    return canvas.lines()[0]


def _stretch(
    canvas: Canvas, stretch: Stretch, ends: tuple[int, int], frame: Frame, who: str
) -> None:
    look, (left, right) = frame.look, ends
    style = look.block(stretch.phase.value) if look.colour else "bold"
    texture = " " if look.colour else look.texture(stretch.phase)
    canvas.put(left, 0, texture * (right - left), style if look.colour else "")
    letter, name = stretch.phase.letter, stretch.phase.value
    named = [f" {letter} {name} ", f" {letter} ", letter]
    if stretch.ended is None and who:
        named.insert(0, f" {letter} {name} from {who} ")
    said = next((said for said in named if cells(said) <= right - left), "")
    canvas.put(left, 0, said, style)


def bracket(stretches: Sequence[Stretch], axis: Axis, frame: Frame, *, stalled: bool) -> Text:
    """A bracket under the longest wait, with how long it is and its share of the whole."""
    look, end = frame.look, axis.instants[-1]
    took = [lasted(stretch, end) for stretch in stretches]
    longest = took.index(max(took))
    left, right = span(stretches[longest], axis)
    if right - left < 2:
        return Text()
    share = words.share(words.shares(took)[longest], took[longest])
    told = f"{look.words(words.duration(took[longest]))}  {share}"
    named = (f" longest wait  {told} ", f" {told} ")
    said = next((said for said in named if cells(said) + 4 <= right - left), "")
    # Red is for what holds a transfer up now, not for what once took long.
    hot = stalled and stretches[longest].ended is None
    first, line, last = tuple(look.glyphs.bracket)
    canvas, style = Canvas(axis.width, 1), look.style("stalled" if hot else "muted")
    canvas.put(left, 0, first + line * (right - left - 2) + last, style)
    canvas.put(left + (right - left - cells(said)) // 2, 0, said, style)
    return canvas.lines()[0]


def span(stretch: Stretch, axis: Axis) -> tuple[int, int]:
    """First column of the stretch, and the one after its last; at least one apart."""
    left = axis.column(stretch.began)
    if stretch.ended is None or stretch.ended >= axis.instants[-1]:
        return left, axis.width
    return left, max(axis.column(stretch.ended), left + 1)


def lasted(stretch: Stretch, end: int) -> int:
    """How long it lasted, in nanoseconds, as of `end` if it is open."""
    return (end if stretch.ended is None else stretch.ended) - stretch.began
