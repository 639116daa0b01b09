"""Draws the transfers in flight on one link, worst first."""

import msgspec
from rich.text import Text

from kvtrace.model import Link
from kvtrace.tui.frame import Frame
from kvtrace.tui.listing import Item, Sort
from kvtrace.tui.rows import fitting_columns, table_head, table_line
from kvtrace.tui.text import piece

_LEAST = 4
"""Lines from which it is worth while: a blank one, a title, the columns, a transfer."""


def transfers(link: Link, frame: Frame, room: int) -> list[Text]:
    """A heading, and as many transfers as there is room for; the others counted."""
    rows = [row for row in frame.snapshot.rows if row.link == link]
    if room < _LEAST or not rows:
        return []
    only = msgspec.structs.replace(frame.snapshot, rows=tuple(rows), done=())
    frame = msgspec.structs.replace(frame, snapshot=only)
    space = room - _LEAST + 1
    kept = rows[: space if len(rows) <= space else space - 1]
    shown = fitting_columns(frame)
    title = piece(" TRANSFERS", frame.look.style("muted", bold=True))
    title.append(f"  in flight on {frame.names.link(link)}", frame.look.style("muted"))
    lines = [Text(), title, table_head(frame, shown, Sort(column=""))]
    for row in kept:
        item = Item(key=row.transfer.id, row=row)
        lines.append(table_line(frame, item, shown, selected=False))
    if len(kept) < len(rows):
        more = f"   + {len(rows) - len(kept):,} more"
        lines.append(piece(more, frame.look.style("muted")))
    return lines
