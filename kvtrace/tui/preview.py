"""Draws beside the table, on large terminals, what is known of the transfer under the cursor."""

from collections.abc import Iterator

import msgspec
from rich.text import Text

from kvtrace import words
from kvtrace.diagnosed import Diagnosis
from kvtrace.snapshot import Done, Row
from kvtrace.tui.frame import Frame
from kvtrace.tui.listing import Item
from kvtrace.tui.opened import find
from kvtrace.tui.split import by_phase, split_lines
from kvtrace.tui.text import flow, pad, piece, shortened, wrap

_TABLE, _NARROWEST, _WIDEST = 120, 60, 80
"""Columns that the table gets, and that the preview has at least and at most."""

_TIME = 8


def width(frame: Frame) -> int:
    """How many columns it takes; 0 where the terminal is not large."""
    if frame.width < 150 or frame.height < 50:
        return 0
    return min(max(frame.width - _TABLE, _NARROWEST), _WIDEST)


def preview(item: Item | None, frame: Frame, room: int) -> list[Text]:
    """What is known of the transfer in so many lines, beside a rule."""
    narrow = msgspec.structs.replace(frame, width=max(width(frame) - 2, 1))
    known = item and (item.row or item.done)
    lines = list(_lines(known, narrow)) if known else []
    lines = [*lines, *[Text()] * room][:room]
    look = frame.look
    rule = look.glyphs.down
    return [
        piece(f"{rule}", look.style("rule")).append_text(
            shortened(line, narrow.width, look.glyphs.cut)
        )
        for line in lines
    ]


def _lines(known: Row | Done, frame: Frame) -> Iterator[Text]:
    look, names = frame.look, frame.names
    title = piece(" SELECTED", look.style("muted", bold=True))
    yield title.append(look.words("  ⏎ opens it"), look.style("muted"))
    yield Text()
    yield piece(f" {names.transfer(known.id, frame.width - 2)}", look.style("strong"))
    told = [names.link(known.link)]
    told += [words.size(known.size)] if known.size else []
    if isinstance(known, Row):
        told += [f"waits for {names.place(known.waits_for)}", f"age {words.wait(known.age)}"]
    else:
        told += [f"{known.outcome.value} in {words.duration(known.took)}"]
    items = [piece(look.words(one), look.style("text")) for one in told]
    yield Text(" ").append_text(flow(items, frame.width - 2))
    yield Text()
    opened = find(frame.snapshot, known.transfer.id)
    if opened is not None:
        running = opened.row is not None
        yield from split_lines(by_phase(opened.spent), frame, so_far=running)
        yield Text()
    found = diagnosis_of(known, frame)
    if found is not None:
        yield from _cause(found, frame)


def diagnosis_of(known: Row | Done, frame: Frame) -> Diagnosis | None:
    """Why it is in trouble; None where it is not."""
    if isinstance(known, Done):
        return known.diagnosis
    return frame.snapshot.diagnoses.get(known.transfer.id)


def _cause(found: Diagnosis, frame: Frame) -> Iterator[Text]:
    look = frame.look
    yield piece(f" {look.glyphs.stalled} {look.words(found.label)}", look.style("stalled"))
    yield from _prose(found.sentence, frame)
    yield Text()
    yield piece(" DO", look.style("muted", bold=True))
    yield from _prose(found.remedy, frame)
    yield Text()
    yield piece(" SAW", look.style("muted", bold=True))
    for fact in found.evidence:
        when = "never" if fact.missing else look.glyphs.nothing
        if fact.at is not None:
            when = words.time_of_day(frame.snapshot.wall - frame.snapshot.at + fact.at, frame.zone)
        line = piece(" " + pad(when, _TIME), look.style("stalled" if fact.missing else "muted"))
        if fact.place is not None:
            line.append(" " + frame.names.place(fact.place), look.style("muted"))
        yield line.append(" " + look.words(words.clean(fact.text)), look.style("text"))
    yield Text()
    sure = piece(" confidence ", look.style("muted")).append(
        found.confidence.value, look.style("text")
    )
    yield sure.append(look.words(f"  {found.doubt}" if found.doubt else ""), look.style("muted"))


def _prose(said: str, frame: Frame) -> Iterator[Text]:
    for line in wrap(frame.look.words(said), frame.width - 2):
        yield piece(f" {line}", frame.look.style("text"))
