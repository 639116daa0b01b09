"""The table of transfers: a cursor that stays on its transfer, over lines drawn on demand."""

from functools import partial
from typing import ClassVar

import msgspec
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import var

from kvtrace.filters import Filter
from kvtrace.tui import moving
from kvtrace.tui.clipboard import Copied
from kvtrace.tui.cursor import Cursor
from kvtrace.tui.fitting import Columns
from kvtrace.tui.frame import Frame
from kvtrace.tui.lined import Lined
from kvtrace.tui.listing import Choice, Item, Listing, Sort, arrange
from kvtrace.tui.rows import (
    column_at,
    fitting_columns,
    hidden,
    sortable,
    table_head,
    table_line,
)
from kvtrace.tui.trouble import NoTrouble

KEYS = (
    *moving.DOWN_AND_UP,
    *moving.ENDS,
    moving.OPEN,
    *moving.TROUBLE,
    Binding("s", "sort", "sort"),
    Binding("S", "reverse", "reverse sort", show=False),
    Binding("f", "follow", "follow"),
    Binding("m", "mark", "mark"),
    Binding("M", "only_marked", "see marked only", show=False),
    moving.COPY,
)
"""What keys do in the table."""

EMPTY = "no transfer is listed"
"""What is said where a key wants a transfer, and there is none."""


class TransfersTable(Lined, can_focus=True):
    """Transfers in flight, worst first, and below those that ended lately."""

    BINDINGS: ClassVar[list[BindingType]] = list(KEYS)

    selected: var[str | None] = var(None)
    """The id of the transfer under the cursor; None keeps it on the first line."""

    class Opened(Message):
        """A transfer is to be shown by itself."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class Above(Message):
        """The cursor is on the first line, and one goes on up."""

    class Changed(Message):
        """Another transfer is under the cursor, or others are seen than before."""

    def __init__(self) -> None:
        super().__init__()
        self._listing = Listing()
        self._sort, self._choice = Sort(), Choice()
        self._cursor = Cursor()
        self._fitted = Frame()
        """What is drawn, no wider than there is room for."""

        self._columns = Columns({})

    @property
    def item(self) -> Item | None:
        """What the cursor is on."""
        return self._listing.items[self._cursor.at] if self._listing.items else None

    @property
    def choice(self) -> Choice:
        """Which transfers are seen."""
        return self._choice

    @property
    def shown(self) -> int:
        """How many transfers in flight are seen, also those below."""
        return self._listing.shown

    @property
    def room(self) -> int:
        """Lines below the heading."""
        return max(self.size.height - self._heading, 0)

    @property
    def _heading(self) -> int:
        return _heading_lines(self._listing, self.size.height)

    def watch_frame(self, frame: Frame | None) -> None:
        """Take in what is new, and keep the cursor on its transfer."""
        if frame is None:
            return
        before = self.item and self.item.key
        self._fitted = msgspec.structs.replace(frame, width=self.size.width or frame.width)
        self._columns = fitting_columns(self._fitted)
        self._listing = arrange(frame.snapshot, self._listing, self._sort, self.room, self._choice)
        found = self._listing.index(self.selected)
        if found is None and self.selected is not None:
            # The transfer has left: the cursor stays on its line, and then with who is there now.
            self._go(self._cursor.at)
        else:
            self._cursor.at = found if found is not None else self._listing.top
            if (self.item and self.item.key) != before:
                self.post_message(self.Changed())
        self._scroll()

    def on_resize(self) -> None:
        """Show as many lines as there is room for."""
        self.watch_frame(self.frame)

    def seek(self, wanted: Filter) -> None:
        """See only what fits."""
        self._choose(filter=wanted)

    def action_move(self, by: int) -> None:
        """Go so many lines down; from the first up to the phases."""
        if by == -1 and self._cursor.at <= self._listing.top:
            self.post_message(self.Above())
        self._move(by)

    def _move(self, by: int) -> None:
        """Go so many lines down, past the line that is no transfer."""
        last = len(self._listing.items) - 1
        index = min(max(self._cursor.at + by, 0), last)
        if last >= 0 and not self._listing.items[index].key:
            index = min(max(index + (1 if by > 0 else -1), 0), last)
        self._go(index)

    def action_top(self) -> None:
        """Go to the first line, and stay there, whichever transfer comes to it."""
        self._go(self._listing.top)
        self.selected = None

    def action_bottom(self) -> None:
        """Go to the last line."""
        self.action_move(len(self._listing.items))

    def action_page(self, by: int) -> None:
        """Go a screenful down, or up."""
        self._move(by * max(self.room - 1, 1))

    def action_trouble(self, by: int) -> None:
        """Go to the next transfer that is stalled or failed, around the end."""
        found = self._listing.trouble(self._cursor.at, by)
        if found is not None:
            self._go(found)
        else:
            self.post_message(NoTrouble("no transfer here is stalled or failed"))

    def action_open(self) -> None:
        """Show the transfer under the cursor by itself."""
        key = self.item.key if self.item is not None else ""
        self.post_message(self.Opened(key) if key else NoTrouble(EMPTY))

    def action_copy(self) -> None:
        """Put the id of the transfer under the cursor on the clipboard."""
        known = self.item and (self.item.row or self.item.done)
        self.post_message(Copied(known.id) if known else NoTrouble(EMPTY))

    def action_sort(self) -> None:
        """Sort by the next column."""
        if self.frame is not None:
            names = sortable(self._columns)
            after = names.index(self._sort.column) + 1 if self._sort.column in names else 0
            self._sort_by(Sort(names[after % len(names)]))

    def action_reverse(self) -> None:
        """Sort from the other end."""
        self._sort_by(Sort(self._sort.column, not self._sort.reverse))

    def action_follow(self) -> None:
        """Keep the transfer under the cursor on top, or let it go again."""
        if self.item is not None and self.item.key:
            self._choose(followed=None if self.item.key == self._choice.followed else self.item.key)

    def action_mark(self) -> None:
        """Mark the transfer under the cursor, or take its mark away; and go on."""
        if self.item is not None and self.item.key:
            self._choose(marked=self._choice.marked ^ {self.item.key})
            self.action_move(1)

    def action_only_marked(self) -> None:
        """See only what is marked, or all again."""
        self._choose(only_marked=not self._choice.only_marked and bool(self._choice.marked))

    def on_click(self, event: events.Click) -> None:
        """Select; on the transfer that is selected already, open; on a heading, sort."""
        index = self._cursor.first + event.y - self._heading
        if event.y < self._heading:
            self._sort_by(_sort_at(self._fitted, self._columns, event.x, self._sort))
        elif index == self._cursor.at:
            self.action_open()
        elif index < len(self._listing.items) and self._listing.items[index].key:
            self._go(index)

    def on_mouse_scroll_down(self) -> None:
        """Go down."""
        self.action_move(1)

    def on_mouse_scroll_up(self) -> None:
        """Go up."""
        self._move(-1)

    def _sort_by(self, sort: Sort) -> None:
        self._sort = sort
        self.watch_frame(self.frame)

    def _choose(self, **changes: object) -> None:
        self._choice = msgspec.structs.replace(self._choice, **changes)
        self.watch_frame(self.frame)
        self.post_message(self.Changed())

    def _go(self, index: int) -> None:
        items = self._listing.items
        self._cursor.go(index, len(items))
        self.selected = items[self._cursor.at].key if items else None
        self.post_message(self.Changed())
        self._scroll()

    def _scroll(self) -> None:
        self._cursor.scroll(self.room, len(self._listing.items))
        self.put(self._drawn())

    def _drawn(self) -> list[Text]:
        """The heading, and the transfers in sight."""
        first, shown, room = self._cursor.first, self._columns, self.room
        seen = enumerate(self._listing.items[first : first + room], first)
        draw = partial(table_line, self._fitted, shown=shown, choice=self._choice)
        lines = [draw(item, selected=at == self._cursor.at) for at, item in seen]
        if not self._heading:
            return lines
        out_of_sight = hidden(self._listing, first, room)
        return [table_head(self._fitted, shown, self._sort, out_of_sight), *lines]


def _heading_lines(listing: Listing, height: int) -> int:
    """Lines above the transfers; what ended lately brings its own when it stands alone."""
    alone = bool(listing.items) and not listing.items[0].key
    return 0 if alone or height < 3 else 1


def _sort_at(frame: Frame, columns: Columns, x: int, sort: Sort) -> Sort:
    """How a click on the heading there sorts: by that column, or from its other end."""
    column = column_at(frame, columns, x)
    if column is None:
        return sort
    return Sort(column, column == sort.column and not sort.reverse)
