"""Puts the drawings of one transfer together, for the height there is."""

from collections.abc import Sequence

from rich.text import Text

from kvtrace import words
from kvtrace.diagnosed import Confidence, Diagnosis
from kvtrace.lanes import Lane, Point
from kvtrace.model import Outcome, Phase
from kvtrace.tui import said
from kvtrace.tui.axis import Axis, folded, to_scale
from kvtrace.tui.frame import Frame
from kvtrace.tui.opened import Opened
from kvtrace.tui.preview import diagnosis_of
from kvtrace.tui.ribbon import axis_line, bracket, ribbon
from kvtrace.tui.split import Split, by_part, by_phase, split_lines, split_table
from kvtrace.tui.text import cut, flow, pad, piece, shortened
from kvtrace.tui.timeline import Lanes, is_failure, name_width

_FEW = 4
"""Lines for the time where there is no room for its table."""

_MUCH = 8
"""Lines that are left over from which the events are listed below the drawing."""


def page(opened: Opened, frame: Frame, room: int) -> list[Text]:
    """Title, axis, ribbon, lanes or events, the chosen event, time by phase: in so many rows."""
    split = _split_of(opened)
    airy, table = _room_for(len(opened.timeline.lanes), len(split.parts), room)
    blank = [Text()] if airy else []
    head = [*blank, *title(opened, frame), *blank]
    so_far = opened.row is not None
    spare = room - 6 - len(opened.timeline.lanes)
    time = split_lines(split, frame, so_far=so_far, most=min(max(spare, 1), _FEW))
    if table:
        time = split_table(split, frame, so_far=so_far)
    foot = [*blank, chosen(opened, frame), *blank, *time, *blank]
    left = room - len(head) - len(foot)
    body = _events(opened, frame, left) if opened.all_events else _drawing(opened, frame, left)
    body = body[: max(left, 0)]
    below = [] if opened.all_events else _all_below(opened, frame, left - len(body))
    rest = [Text()] * (left - len(body) - len(below))
    return [*head, *body, *foot, *below, *rest][:room]


def _all_below(opened: Opened, frame: Frame, room: int) -> list[Text]:
    """The events below the drawing, where there is much room."""
    if room < _MUCH:
        return []
    title = piece(" EVENTS", frame.look.style("muted", bold=True))
    return [title, *_events(opened, frame, room - 2)]


def _room_for(lanes: int, parts: int, room: int) -> tuple[bool, bool]:
    """Whether there is room for blank lines, and for the table of the time, beside all lanes."""
    left = room - 6 - lanes
    return left >= parts + 6, left > parts


def title(opened: Opened, frame: Frame) -> list[Text]:
    """How it stands, and what it waits for."""
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
        return [first, *_why(found, frame)]
    note, role = _note(opened, frame)
    return [first, piece(" " + cut(note, frame.width - 2), look.style(role))] if note else [first]


def _why(found: Diagnosis, frame: Frame) -> list[Text]:
    """The cause, what happened, and what to do: two lines, as much of each as there is room for."""
    look = frame.look
    label = piece(f" {look.words(found.label)}", look.style("stalled"))
    doubt = "" if found.confidence is Confidence.HIGH else f" (confidence {found.confidence})"
    label.append(look.words(f": {found.sentence}{doubt}"), look.style("text"))
    remedy = piece(" DO ", look.style("muted"))
    remedy.append(look.words(found.remedy), look.style("strong"))
    sign = look.glyphs.cut
    return [shortened(line, frame.width - 1, sign) for line in (label, remedy)]


def chosen(opened: Opened, frame: Frame) -> Text:
    """The event under the cursor, with its attributes."""
    points, look = opened.points, frame.look
    if not points:
        return Text()
    point = points[opened.cursor]
    number = f"event {opened.cursor + 1} of {len(points)}"
    line = piece(f" {look.glyphs.pointer} ", look.style("strong"))
    room = frame.width - 4 - len(number) - 2
    line.append_text(flow(_told(point, opened, frame), room, gap=2))
    line.append(" " * max(frame.width - 1 - line.cell_len - len(number), 1))
    line.append(number + " ", look.style("muted"))
    line.stylize_before(look.selection if look.colour else "")
    return line


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
        return f"Waits for {where}, which sends no events: what it does is not seen.", "slow"
    return f"Next: {said.spoken(due.kind)}, by {where}.", "text"


def _split_of(opened: Opened) -> Split:
    """What its wait was spent on, once that is known; else how long it was in each phase."""
    known = opened.done.shares if opened.done is not None else None
    return by_part(known) if known is not None else by_phase(opened.spent)


def _axis(opened: Opened, width: int) -> Axis:
    drawn = opened.timeline
    instants = [drawn.start, drawn.end, *(point.at for point in opened.points)]
    bars = [bar for lane in drawn.lanes for bar in lane.bars]
    instants += [bar.began for bar in bars]
    instants += [share.stretch.began for share in drawn.stretches]
    inside = [min(max(at, drawn.start), drawn.end) for at in instants]
    if opened.to_scale:
        return to_scale(inside, width)
    busy = [(bar.began, drawn.end if bar.ended is None else bar.ended) for bar in bars]
    return folded(inside, width, busy)


def _drawing(opened: Opened, frame: Frame, room: int) -> list[Text]:
    """Axis, ribbon and lanes."""
    drawn = opened.timeline
    lanes = drawn.lanes
    left = name_width(lanes, frame)
    width = max(frame.width - left - 2, 10)
    axis = _axis(opened, width)
    stretches = [share.stretch for share in drawn.stretches]
    ends = [stretch.began for stretch in stretches]
    due = opened.next_step
    who = frame.names.place(due.place) if due is not None else ""
    drawings = {
        "since asked": axis_line(axis, ends, frame, open=drawn.outcome is None),
        "waits for": ribbon(stretches, axis, frame, who),
    }
    if room > len(lanes) + 2:
        drawings[""] = bracket(stretches, axis, frame, stalled=opened.stalled)
    lines = [_left(name, left, frame).append_text(line) for name, line in drawings.items()]
    space = room - len(lines)
    step = 2 if 2 * len(lanes) - 1 <= space else 1
    shown = _fitting(lanes, opened, space)
    lines += Lanes(opened, shown, axis, frame, step).draw()
    if len(shown) < len(lanes):
        lines.append(_left(f"+ {len(lanes) - len(shown)} more lanes", frame.width - 2, frame))
    return lines


def _fitting(lanes: Sequence[Lane], opened: Opened, room: int) -> Sequence[Lane]:
    """As many lanes as there is room for, those that tell most, and a line left for the rest."""
    if len(lanes) <= room:
        return lanes
    due = opened.next_step
    wanted = {one.place for one in opened.timeline.missing}

    def telling(index: int) -> tuple[bool, bool, bool, bool, int]:
        lane = lanes[index]
        held = due is not None and lane.place == due.place
        failed = any(map(is_failure, lane.points))
        return not held, not failed, not lane.place.is_scheduler, lane.place not in wanted, index

    kept = sorted(range(len(lanes)), key=telling)[: max(room - 1, 0)]
    return [lanes[index] for index in sorted(kept)]


def _left(name: str, width: int, frame: Frame) -> Text:
    return piece(" " + pad(name, width), frame.look.style("muted"))


def _told(point: Point, opened: Opened, frame: Frame) -> list[Text]:
    """When, where, what, and its attributes."""
    look = frame.look
    since = look.words(words.duration(point.at - opened.timeline.start))
    return [
        piece(pad(since, 7, right=True), look.style("text")),
        piece(frame.names.place(point.place), look.style("muted")),
        piece(said.name(point.event), look.style("strong")),
        *(
            piece(look.words(text), look.style("text"))
            for text in said.attribute_words(point.event)
        ),
    ]


def _events(opened: Opened, frame: Frame, room: int) -> list[Text]:
    """All events, one a line, so that the one under the cursor is in sight."""
    points = opened.points
    first = min(max(opened.cursor - room // 2, 0), max(len(points) - room, 0))
    width = frame.names.place_width
    lines = []
    for index, point in enumerate(points[first : first + room], first):
        when, where, *rest = _told(point, opened, frame)
        line = piece(frame.look.glyphs.cursor if index == opened.cursor else " ", "")
        line.append_text(when).append("  ").append_text(where)
        line.append(" " * max(width - where.cell_len, 0) + "  ")
        line.append_text(flow(rest, frame.width - line.cell_len - 1, gap=2))
        line.append(" " * max(frame.width - line.cell_len, 0))
        if index == opened.cursor:
            line.stylize(frame.look.selection)
        lines.append(line)
    return lines
