"""Draws a transfer's time: its axis, what it waited for along it, and the longest wait."""

from collections.abc import Sequence

from rich.text import Text

from kvtrace import words
from kvtrace.phases import Stretch
from kvtrace.tui.axis import Axis
from kvtrace.tui.canvas import Canvas
from kvtrace.tui.frame import Frame
from kvtrace.tui.text import cells


def axis_line(axis: Axis, ends: Sequence[int], frame: Frame, width: int, *, open: bool) -> Text:
    """Times since the first instant where they stand, folds marked; `ends` are named first."""
    look, start, last = frame.look, axis.instants[0], axis.instants[-1]
    canvas = Canvas(width, 1)
    whole = look.words(words.wait(last - start) if open else words.duration(last - start))
    said = f"now {whole}" if open else whole
    canvas.put(width - cells(said), 0, said, look.style("strong"))
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


def ribbon(stretches: Sequence[Stretch], axis: Axis, frame: Frame, width: int, who: str) -> Text:
    """The axis cut into phases, each named where there is room; `who` is waited for in the last."""
    look = frame.look
    canvas = Canvas(width, 1)
    for stretch in stretches:
        left, right = span(stretch, axis)
        texture = " " if look.colour else look.texture(stretch.phase)
        style = look.block(stretch.phase.value) if look.colour else ""
        canvas.put(left, 0, texture * (right - left), style)
        letter, name = stretch.phase.letter, stretch.phase.value
        named = [f"{letter} {name}", letter]
        if stretch.ended is None and who:
            named.insert(0, f"{letter} {name} from {who}")
        for said in named:
            if cells(said) + 2 <= right - left or (said == letter and right - left >= 1):
                at = left + (1 if cells(said) + 2 <= right - left else 0)
                canvas.put(at, 0, said, style or "bold")
                break
    return canvas.lines()[0]


def bracket(stretches: Sequence[Stretch], axis: Axis, frame: Frame, width: int) -> Text:
    """A bracket under the longest wait, with how long it is and its share of the whole."""
    look = frame.look
    longest = dominant(stretches, axis.instants[-1])
    if longest is None:
        return Text()
    took = lasted(longest, axis.instants[-1])
    shares = words.shares([lasted(stretch, axis.instants[-1]) for stretch in stretches])
    share = words.share(shares[stretches.index(longest)], took)
    left, right = span(longest, axis)
    canvas = Canvas(width, 1)
    stalls = longest.ended is None
    style = look.style("stalled" if stalls else "muted")
    start, line, end = tuple(look.glyphs.bracket)
    took_words = look.words(words.duration(took))
    said = next(
        (
            text
            for text in (f" longest wait  {took_words}  {share} ", f" {took_words} {share} ")
            if cells(text) + 4 <= right - left
        ),
        "",
    )
    if right - left < 2:
        return Text()
    canvas.put(left, 0, start + line * (right - left - 2) + end, style)
    canvas.put(left + (right - left - cells(said)) // 2, 0, said, style)
    return canvas.lines()[0]


def span(stretch: Stretch, axis: Axis) -> tuple[int, int]:
    """First column of the stretch, and the one after its last; at least one apart."""
    left = axis.column(stretch.began)
    last = axis.instants[-1]
    if stretch.ended is None or stretch.ended >= last:
        return left, axis.columns[-1] + 1
    return left, max(axis.column(stretch.ended), left + 1)


def dominant(stretches: Sequence[Stretch], end: int) -> Stretch | None:
    """The longest of the stretches, as of `end`."""
    return max(stretches, key=lambda stretch: lasted(stretch, end), default=None)


def lasted(stretch: Stretch, end: int) -> int:
    """How long it lasted, in nanoseconds, as of `end` if it is open."""
    return (end if stretch.ended is None else stretch.ended) - stretch.began
