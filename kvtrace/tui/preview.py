"""Draws beside the table, or in short below it, what is known of the transfer under the cursor."""

from collections.abc import Iterator

import msgspec
from rich.text import Text

from kvtrace import words
from kvtrace.diagnosed import Diagnosis
from kvtrace.snapshot import Done, Row
from kvtrace.tui import scrubber
from kvtrace.tui.frame import Frame
from kvtrace.tui.listing import Item
from kvtrace.tui.opened import find
from kvtrace.tui.split import by_phase, split_lines
from kvtrace.tui.text import PROSE, flow, pad, piece, shortened, wrap

_TABLE, _NARROWEST, _WIDEST = 120, 60, 80
"""Columns that the table gets, and that the preview has at least and at most."""

_TIME = 8

_SHORT = 4
"""Lines below the table for a cause and what to do."""

_SHORT_WIDTH, _SHORT_HEIGHT = 100, 34
"""Columns and rows from which there is room for them."""


def width(frame: Frame) -> int:
    """How many columns it takes; 0 where the terminal is not large."""
    if frame.width < 150 or frame.height < 50:
        return 0
    return min(max(frame.width - _TABLE, _NARROWEST), _WIDEST)


def height(frame: Frame) -> int:
    """How many lines it takes below the table, with a blank one; 0 where it takes none.

    They are there while anything is stalled, so that the table holds still under the cursor.
    """
    rows = frame.height - scrubber.height(frame)
    roomy = frame.width >= _SHORT_WIDTH and rows >= _SHORT_HEIGHT and not width(frame)
    return _SHORT + 1 if roomy and frame.snapshot.totals.stalled else 0


def below(item: Item | None, frame: Frame) -> list[Text]:
    """Why the transfer is in trouble, and what to do, in as many lines as there are for it."""
    room = height(frame)
    known = item and (item.row or item.done)
    if not room or not known:
        return [Text()] * room
    found, look, prose = diagnosis_of(known, frame), frame.look, min(frame.width - 2, PROSE)
    if found is None:
        return [Text(), piece(" " + _well(known, frame), look.style("muted")), *[Text()] * room][
            :room
        ]
    label = look.words(found.label)
    told = wrap(f"{label}: {look.words(found.sentence)}", prose)[: _SHORT - 2]
    lines = [Text(), *(piece(f" {line}", look.style("text")) for line in told)]
    lines[1].stylize(look.style("stalled"), 1, len(label) + 1)
    remedy = wrap(look.words(found.remedy), prose - 4)
    kept = remedy[: room - len(lines)]
    for number, line in enumerate(kept):
        lines.append(piece(" DO  " if number == 0 else "     ", look.style("muted")))
        lines[-1].append(line, look.style("strong"))
    if len(kept) < len(remedy):
        lines[-1].append(look.words(f" {look.glyphs.cut} ⏎ says all"), look.style("muted"))
    return [*lines, *[Text()] * room][:room]


def _well(known: Row | Done, frame: Frame) -> str:
    """What is to be said of one that nothing is wrong with."""
    if isinstance(known, Done):
        return f"This transfer ended: {known.outcome.value}."
    waits = f"it waits for {frame.names.place(known.waits_for)}" if known.waits_for else "it waits"
    return f"Nothing is wrong with this transfer: {waits}, for {words.wait(known.waited)}."


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
