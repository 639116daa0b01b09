"""Draws where a transfer's time went, in shares that add up to the whole."""

from collections.abc import Sequence

import msgspec
from rich.text import Text

from kvtrace import words
from kvtrace.model import Phase
from kvtrace.split import Part, Shares
from kvtrace.tui.frame import Frame
from kvtrace.tui.text import flow, pad, piece

Spent = Sequence[tuple[Phase, int]]

_NAME = 13
"""Cells for a name at least."""

_REGISTRATION = (Part.ADMISSION, Part.CONSUMER_STEPS, Part.HANDSHAKE, Part.TRANSIT)
_READINESS = (Part.PRODUCER_QUEUE, Part.PREFILL, Part.PRODUCER_STEPS)
_WRITE = (Part.WRITER, Part.POST, Part.WIRE)


class Split(msgspec.Struct, frozen=True):
    """What is drawn: the time of each part, by a title."""

    title: str
    parts: tuple[tuple[str, Phase, int], ...]
    """Name, the phase whose colour it has, and nanoseconds; in the order of time."""

    named: bool
    """Whether the phase's letter alone does not say what a part is."""


def by_phase(spent: Spent) -> Split:
    """How long it waited in each phase."""
    parts = ((phase.value.capitalize(), phase, took) for phase, took in spent)
    return Split("TIME BY PHASE", tuple(parts), named=False)


def by_part(shares: Shares) -> Split:
    """What the wait of its request was spent on."""
    parts = ((str(part), _phase_of(part), took) for part, took in shares.parts)
    return Split("WHERE THE WAIT WENT", tuple(parts), named=True)


def split_lines(split: Split, frame: Frame, *, so_far: bool, most: int = 1) -> list[Text]:
    """In so many lines at most, named parts from the largest on: `TIME  R <1%  B 94%`."""
    look = frame.look
    shares = words.shares([took for *_, took in split.parts])
    largest = max(shares, default=0)
    told = list(zip(split.parts, shares, strict=True))
    if split.named:
        told.sort(key=lambda one: -one[0][2])
    items = [piece("TIME", look.style("muted", bold=True))]
    for (name, phase, took), percent in told:
        style = look.style("strong" if percent == largest else "text")
        item = piece(phase.letter, look.style(phase.value, bold=True))
        item.append(f" {name}" if split.named else "", look.style("muted"))
        item.append(f" {look.words(words.duration(took))} {words.share(percent, took)}", style)
        items.append(item)
    if so_far:
        items.append(piece("so far", look.style("muted")))
    lines: list[Text] = []
    while items and len(lines) < most:
        if lines:
            items.insert(0, Text("    "))
        line, items = _filled(items, frame.width - 2)
        lines.append(Text(" ").append_text(line))
    return lines


def _filled(items: list[Text], width: int) -> tuple[Text, list[Text]]:
    """A line with as many of the items as fit, one at least, and the others."""
    count, taken = 1, items[0].cell_len
    for item in items[1:]:
        taken += 3 + item.cell_len
        if taken > width:
            break
        count += 1
    return flow(items[: max(count, 2)], width, gap=3), items[max(count, 2) :]


def split_table(split: Split, frame: Frame, *, so_far: bool) -> list[Text]:
    """A line for each part with a bar, and their sum."""
    look = frame.look
    shares = words.shares([took for *_, took in split.parts])
    whole, largest = sum(took for *_, took in split.parts), max(shares, default=0)
    width = max(_NAME, *(len(name) for name, *_ in split.parts))
    bar = max(min(frame.width - width - 31, 60), 0)
    title = piece(f" {split.title}", look.style("muted", bold=True))
    lines = [title.append("  so far" if so_far else "", look.style("muted"))]
    for (name, phase, took), percent in zip(split.parts, shares, strict=True):
        line = Text(" ").append(f"{phase.letter} ", look.style(phase.value, bold=True))
        style = look.style("strong" if percent == largest else "text")
        line.append(pad(name, width), style)
        line.append(pad(look.words(words.duration(took)), 9, right=True), style)
        line.append(pad(words.share(percent, took), 6, right=True), style)
        full = max(round(percent * bar / 100), 1 if took else 0)
        sign = look.glyphs.full if look.colour else look.texture(phase)
        line.append("  " + sign * full, look.style(phase.value))
        lines.append(line.append(look.glyphs.empty * (bar - full), look.style("rule")))
    total = piece(" " + pad("sum", width + 2), look.style("muted"))
    total.append(pad(look.words(words.duration(whole)), 9, right=True), look.style("muted"))
    sum_of_shares = words.share(sum(shares), whole)
    return [*lines, total.append(pad(sum_of_shares, 6, right=True), look.style("muted"))]


def _phase_of(part: Part) -> Phase:
    if part in _REGISTRATION:
        return Phase.REGISTRATION
    if part in _READINESS:
        return Phase.READINESS
    return Phase.WRITE if part in _WRITE else Phase.COMPLETION
