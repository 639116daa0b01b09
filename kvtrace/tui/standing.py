"""Says how an opened transfer stands, why, and what to do about it."""

from rich.text import Text

from kvtrace import words
from kvtrace.diagnosed import Confidence, Diagnosis
from kvtrace.model import Outcome, Phase
from kvtrace.tui.frame import Frame
from kvtrace.tui.look import Look
from kvtrace.tui.opened import Opened
from kvtrace.tui.preview import diagnosis_of
from kvtrace.tui.text import PROSE, cells, cut, flow, piece, wrap

_DO = "DO  "


def standing(opened: Opened, frame: Frame, room: int, wanted: int) -> list[Text]:
    """How it stands, why, and what to do, in so many lines; what to do is cut last.

    What happened has one line at least, and more where `wanted` lines are left for a drawing.
    """
    look = frame.look
    items = [_standing(opened, frame)]
    known = opened.row or opened.done
    if opened.row is not None:
        phase = opened.row.phase
        letter = piece(f"{phase.letter} ", look.style(phase.value, bold=True))
        items.append(letter.append(phase.value.capitalize(), look.style(phase.value)))
    if known is not None:
        items.append(piece(frame.names.link(known.link), look.style("text")))
        if known.size:
            items.append(piece(look.words(words.size(known.size)), look.style("text")))
    items += [piece(text, look.style("muted")) for text in _rest(opened, frame)]
    first = Text(" ").append_text(flow(items, frame.width - 2))
    found = diagnosis_of(known, frame) if known is not None else None
    if found is not None and not opened.forgotten:
        return [first, *_why(found, frame, room - 1, wanted)][:room]
    note, role = _note(opened, frame)
    lines = wrap(look.words(note), min(frame.width - 2, PROSE)) if note else []
    return [first, *(piece(f" {line}", look.style(role)) for line in lines)][:room]


def _why(found: Diagnosis, frame: Frame, room: int, wanted: int) -> list[Text]:
    """The cause and what happened, then what to do: where room is short, that stays whole."""
    look, width = frame.look, min(frame.width - 2, PROSE)
    doubt = "" if found.confidence is Confidence.HIGH else f" (confidence {found.confidence})"
    told = wrap(look.words(f"{found.label}: {found.sentence}{doubt}"), width)
    remedy = wrap(look.words(found.remedy), width - cells(_DO))
    told = _first(told, max(room - wanted - len(remedy), 1), width, look)
    remedy = _first(remedy, max(room - len(told), 0), width - cells(_DO), look)
    label = len(look.words(found.label))
    lines = [piece(f" {line}", look.style("text")) for line in told]
    lines[0].stylize(look.style("stalled"), 0, label + 1)
    for number, line in enumerate(remedy):
        lead = " " + (" " * cells(_DO) if number else _DO)
        lines.append(piece(lead, look.style("muted")).append(line, look.style("strong")))
    return lines


def _first(lines: list[str], most: int, width: int, look: Look) -> list[str]:
    """So many of the lines; the last ends in a sign where others follow."""
    if len(lines) <= most:
        return lines
    kept = lines[:most]
    if kept:
        room = width - cells(look.glyphs.cut)
        kept[-1] = cut(kept[-1], room, "").rstrip(" ,;:.") + look.glyphs.cut
    return kept


def _standing(opened: Opened, frame: Frame) -> Text:
    look = frame.look
    if opened.row is not None:
        waited = look.words(words.wait(opened.row.waited))
        if opened.stalled:
            return look.badge(f"stalled {waited}", "stalled")
        return piece(f"waiting {waited}", look.style("strong"))
    if opened.done is None:
        return Text()
    took = look.words(words.duration(opened.done.took))
    if opened.done.outcome is Outcome.FINISHED:
        return piece(f"{look.glyphs.finished} finished in {took}", look.style("strong"))
    ended = f"{look.glyphs.failed} {opened.done.outcome} after {took}"
    return piece(ended, look.style("stalled"))


def _rest(opened: Opened, frame: Frame) -> list[str]:
    """What else is known of it, the most useful first."""
    told = []
    if opened.row is not None and opened.row.ranks[1]:
        wrote = "counted" if opened.row.phase is Phase.COMPLETION else "written"
        count, needed = opened.row.ranks
        told.append(f"{count} of {needed} {'rank' if needed == 1 else 'ranks'} {wrote}")
    known = opened.row or opened.done
    if known is not None and known.transfer.joined:
        told.append(f"joined by {known.transfer.joined}")
    error = opened.timeline.error
    if error is None:
        told.append("clocks not compared")
    elif error:
        told.append(frame.look.words(f"clocks ± {words.duration(error)}"))
    return told


def _note(opened: Opened, frame: Frame) -> tuple[str, str]:
    """What must be said besides, and the role of its colour."""
    if opened.forgotten:
        return "No longer held by kvtrace. Shown is what was known last.", "slow"
    if opened.row is not None and opened.row.ambiguous:
        return "More than one request could be its other half, so they are not joined.", "slow"
    due = opened.next_step
    if due is None:
        return "", "text"
    where = "someone we do not know" if due.place is None else frame.names.place(due.place)
    if any(lane.place == due.place and not lane.seen for lane in opened.timeline.lanes):
        return f"Waits for {where}, which is not heard from: what it does is not seen.", "slow"
    return f"Next: {words.event(due.kind)}, by {where}.", "text"
