"""Draws how long a transfer waited in each phase, in shares that add up to the whole."""

from collections.abc import Sequence

from rich.text import Text

from kvtrace import words
from kvtrace.model import Phase
from kvtrace.tui.frame import Frame
from kvtrace.tui.text import flow, pad, piece

Spent = Sequence[tuple[Phase, int]]


def split_line(spent: Spent, frame: Frame, *, so_far: bool) -> Text:
    """All in one line: `TIME  R <1%  B 94%`."""
    look = frame.look
    shares = words.shares([took for _, took in spent])
    largest = max(shares, default=0)
    items = [piece("TIME", look.style("muted", bold=True))]
    for (phase, took), percent in zip(spent, shares, strict=True):
        item = piece(phase.letter, look.style(phase.value, bold=True))
        said = f" {look.words(words.duration(took))} {words.share(percent, took)}"
        item.append(said, look.style("strong" if percent == largest else "text"))
        items.append(item)
    if so_far:
        items.append(piece("so far", look.style("muted")))
    return Text(" ").append_text(flow(items, frame.width - 2, gap=3))


def split_table(spent: Spent, frame: Frame, *, so_far: bool) -> list[Text]:
    """A line for each phase with a bar, and their sum."""
    look = frame.look
    shares = words.shares([took for _, took in spent])
    whole, largest = sum(took for _, took in spent), max(shares, default=0)
    bar = max(min(frame.width - 44, 60), 0)
    title = piece(" TIME BY PHASE", look.style("muted", bold=True))
    lines = [title.append("  so far" if so_far else "", look.style("muted"))]
    for (phase, took), percent in zip(spent, shares, strict=True):
        line = Text(" ").append(f"{phase.letter} ", look.style(phase.value, bold=True))
        style = look.style("strong" if percent == largest else "text")
        line.append(pad(phase.value.capitalize(), 13), style)
        line.append(pad(look.words(words.duration(took)), 9, right=True), style)
        line.append(pad(words.share(percent, took), 6, right=True), style)
        full = max(round(percent * bar / 100), 1 if took else 0)
        sign = look.glyphs.full if look.colour else look.texture(phase)
        line.append("  " + sign * full, look.style(phase.value))
        lines.append(line.append(look.glyphs.empty * (bar - full), look.style("rule")))
    total = piece(" " + pad("sum", 15), look.style("muted"))
    total.append(pad(look.words(words.duration(whole)), 9, right=True), look.style("muted"))
    sum_of_shares = words.share(sum(shares), whole)
    return [*lines, total.append(pad(sum_of_shares, 6, right=True), look.style("muted"))]
