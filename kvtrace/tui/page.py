"""Puts the drawings of one transfer together, for the height there is."""

from collections.abc import Sequence

from rich.text import Text

from kvtrace import words
from kvtrace.lanes import Lane, Point
from kvtrace.tui import said
from kvtrace.tui.axis import Axis, folded, to_scale
from kvtrace.tui.frame import Frame
from kvtrace.tui.opened import Opened
from kvtrace.tui.ribbon import axis_line, bracket, ribbon
from kvtrace.tui.split import Split, by_part, by_phase, split_lines, split_table
from kvtrace.tui.standing import standing
from kvtrace.tui.text import flow, pad, piece
from kvtrace.tui.timeline import Lanes, is_failure, name_width

_FEW = 4
"""Lines for the time where there is no room for its table."""

_AXIS = 2
"""Lines of the axis and the ribbon."""

_LEAST_LANES = 3
"""Lanes that are drawn before what happened has more than one line."""

_BLANKS = 6
"""Blank lines, and that of the longest wait."""

_MUCH = 8
"""Lines that are left over from which the events are listed below the drawing."""


def page(opened: Opened, frame: Frame, room: int) -> list[Text]:
    """How it stands, axis, ribbon, lanes or events, the chosen event, its time: in so many rows.

    What gives way, first to last: blank lines and the events below; the table of the time, then
    its lines; lanes; the chosen event; the axis; what happened. What to do stays.
    """
    split, lanes = _split_of(opened), len(opened.timeline.lanes)
    head = standing(opened, frame, room, wanted=_AXIS + min(lanes, _LEAST_LANES) + 1)
    spare = room - len(head) - _AXIS - 1 - lanes
    table = len(split.parts) + 2
    blank = [Text()] if spare >= table + _BLANKS else []
    so_far = opened.row is not None
    time = split_lines(split, frame, so_far=so_far, most=min(max(spare, 0), _FEW))
    if spare >= table:
        time = split_table(split, frame, so_far=so_far)
    head = [*blank, *head, *blank]
    event = [chosen(opened, frame)] if room - len(head) > _AXIS else []
    foot = [*blank, *event, *blank, *time, *blank]
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
    line.stylize(look.selection if look.colour else "")
    return line


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
