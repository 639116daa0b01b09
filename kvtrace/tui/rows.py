"""Draws the lines of the transfers table."""

from rich.text import Span, Text

from kvtrace import words
from kvtrace.model import Outcome
from kvtrace.snapshot import Done, Row
from kvtrace.tui.fitting import Columns, columns, gap
from kvtrace.tui.frame import Frame
from kvtrace.tui.listing import EVERYTHING, Choice, Item, Listing, Sort
from kvtrace.tui.text import cells, pad, piece

_ENOUGH = 50
"""Ids that are looked at to know how long ids are."""

_RIGHT = ("waited", "ranks", "size", "age")


def fitting_columns(frame: Frame) -> Columns:
    """The columns that fit the frame's width."""
    names = frame.names
    ids = [row.id for row in frame.snapshot.rows[:_ENOUGH]]
    ids += [done.id for done in frame.snapshot.done[:_ENOUGH]]
    return columns(
        frame.width,
        place=names.place_width,
        link=names.link_width,
        longest=max(map(cells, ids), default=0),
        cause=max((cells(one.label) for one in frame.snapshot.diagnoses.values()), default=0),
    )


def table_head(frame: Frame, shown: Columns, sort: Sort, hidden: str = "") -> Text:
    """The names of the columns, the sorted one marked; on the right, what is out of sight."""
    look = frame.look
    line = Text(" ")
    room = frame.width - len(hidden) - 3 if hidden else frame.width
    for name, width in shown.widths.items():
        line.append(" " * gap(name))
        said = {"mark": "", "phase": "", "phase name": "phase"}.get(name, name)
        is_sorted = sort.column == said
        sign = f" {look.glyphs.sorted}" if is_sorted else ""
        style = look.style("strong" if is_sorted else "muted")
        head = pad(said + sign, width, right=name in _RIGHT, sign="")
        # A heading stands whole or not at all.
        fits = len(said + sign) <= width and line.cell_len + len(head.rstrip()) <= room
        line.append(head if fits else " " * width, style)
    if hidden:
        line.truncate(frame.width - len(hidden) - 2, pad=True)
        line.append(hidden + " ", look.style("muted"))
    return line


def table_line(
    frame: Frame, item: Item, shown: Columns, choice: Choice = EVERYTHING, *, selected: bool
) -> Text:
    """One line of the table, as wide as the frame."""
    if not item.key:
        return _lately(frame, shown)
    glyphs = frame.look.glyphs
    cursor = glyphs.cursor if selected else " "
    if item.key in choice.marked:
        cursor = glyphs.marked
    elif item.key == choice.followed and not selected:
        cursor = glyphs.pointer
    line = piece(cursor, frame.look.style("strong"))
    if item.done is not None:
        line.append_text(_ended(frame, item.done, shown))
    elif item.row is not None:
        line.append_text(_flying(frame, item.row, shown))
    line.append(" " * max(frame.width - line.cell_len, 0))
    if selected:
        line.stylize(frame.look.selection)
    return line


def sortable(listing: Columns) -> list[str]:
    """The names of the shown columns that one can sort by."""
    names = ("waited", "phase", "cause", "waits for", "link", "ranks", "size", "age", "transfer")
    return [name for name in names if name in listing]


def _flying(frame: Frame, row: Row, shown: Columns) -> Text:
    look, names = frame.look, frame.names
    loud = look.style("text" if row.stalled else "muted")
    hot = look.style("stalled" if row.stalled else "text")
    mark = look.glyphs.stalled if row.stalled else look.glyphs.unseen if row.ambiguous else " "
    phase = row.phase.value
    found = frame.snapshot.diagnoses.get(row.transfer.id)
    told = {
        "cause": (found.label if found is not None else "", hot),
        "mark": (mark, look.style("stalled" if row.stalled else "slow")),
        "waited": (words.wait(row.waited), hot),
        "phase": (row.phase.letter, look.style(phase, bold=True)),
        "phase name": (phase.capitalize(), look.style(phase) if row.stalled else loud),
        "waits for": _awaited(frame, row, loud),
        "link": (names.link(row.link), loud),
        "ranks": (_ranks(row.ranks), loud),
        "size": (words.size(row.size) if row.size else words.UNKNOWN, loud),
        "age": (words.wait(row.age), loud),
    }
    return _line(frame, told, shown, row.id, loud)


def _awaited(frame: Frame, row: Row, loud: str) -> tuple[str, str]:
    """Who must act next; one that is no more never will."""
    if row.gone and row.waits_for is not None:
        return f"{frame.names.engine(row.waits_for.engine)} gone", frame.look.style("slow")
    return frame.names.place(row.waits_for), loud


def _ended(frame: Frame, done: Done, shown: Columns) -> Text:
    look, names = frame.look, frame.names
    calm = look.style("muted")
    well = done.outcome is Outcome.FINISHED
    mark = look.glyphs.finished if well else look.glyphs.failed
    how = calm if well else look.style("stalled" if done.outcome is Outcome.FAILED else "slow")
    told = {
        "cause": (done.diagnosis.label if done.diagnosis is not None else "", calm),
        "mark": (mark, how),
        "waited": (words.duration(done.took), calm),
        "phase": ("" if "phase name" in shown else " ", calm),
        "phase name": (done.outcome.value, how),
        "waits for": (words.UNKNOWN, calm),
        "link": (names.link(done.link), calm),
        "ranks": (words.UNKNOWN, calm),
        "size": (words.size(done.size) if done.size else words.UNKNOWN, calm),
        "age": (words.wait(max(frame.snapshot.at - done.ended.seen, 0)), calm),
    }
    return _line(frame, told, shown, done.id, calm)


def _line(
    frame: Frame, told: dict[str, tuple[str, str]], shown: Columns, name: str, style: str
) -> Text:
    parts: list[str] = []
    spans: list[Span] = []
    at = 0
    words_of = frame.look.words
    for column, width in shown.widths.items():
        said, drawn = told.get(column, ("", style))
        space = " " * gap(column)
        if column == "transfer":
            text = frame.names.transfer(name, width)
        else:
            text = pad(words_of(said), width, right=column in _RIGHT)
        parts += space, text
        start = at + len(space)
        at = start + len(text)
        spans.append(Span(start, at, drawn))
    return Text("".join(parts), spans=spans)


def _lately(frame: Frame, shown: Columns) -> Text:
    """The line above those that ended: what their columns hold, where it differs."""
    line, style = Text(" "), frame.look.style("muted")
    said = {"waited": "took", "phase name": "outcome", "age": "ago", "transfer": "lately finished"}
    if "phase name" not in shown:
        said["phase"] = ""
    for column, width in shown.widths.items():
        line.append(" " * gap(column))
        line.append(pad(said.get(column, ""), width, right=column in _RIGHT), style)
    return line


def _ranks(ranks: tuple[int, int]) -> str:
    count, needed = ranks
    return f"{count}/{needed}" if needed else words.UNKNOWN


def column_at(frame: Frame, shown: Columns, x: int) -> str | None:
    """The column by which a click there sorts; None where there is none."""
    start = 1
    for name, width in shown.widths.items():
        start += gap(name)
        if start <= x < start + width:
            named = "phase" if name == "phase name" else name
            return named if named in sortable(shown) else None
        start += width
    return None


def hidden(listing: Listing, first: int, room: int) -> str:
    """Which lines are in sight, where not all are."""
    count = len(listing.items)
    if count <= room:
        return ""
    return (
        f"{words.count(first + 1)}-{words.count(min(first + room, count))} of {words.count(count)}"
    )
