"""The table of transfers: a cursor that stays on its transfer, over lines drawn on demand."""

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from kvtrace.tui.drawn import strip
from kvtrace.tui.frame import Frame
from kvtrace.tui.listing import Item, Listing, Sort, arrange
from kvtrace.tui.rows import fitting_columns, hidden, sortable, table_head, table_line


class TransfersTable(Widget, can_focus=True):
    """Transfers in flight, worst first, and below those that ended lately."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j,down", "move(1)", "down", key_display="j ↓", show=False),
        Binding("k,up", "move(-1)", "up", key_display="k ↑", show=False),
        Binding("g,home", "top", "first", key_display="g", show=False),
        Binding("G,end", "move(1000000)", "last", key_display="G", show=False),
        Binding("pagedown", "page(1)", "a page down", key_display="PgDn", show=False),
        Binding("pageup", "page(-1)", "a page up", key_display="PgUp", show=False),
        Binding("enter", "open", "open", key_display="⏎"),
        Binding("n", "trouble(1)", "next trouble"),
        Binding("N", "trouble(-1)", "previous trouble", show=False),
        Binding("s", "sort", "sort"),
        Binding("y", "copy", "copy id", show=False),
        Binding("S", "reverse", "reverse the sort", show=False),
    ]

    frame: reactive[Frame | None] = reactive(None)
    selected: reactive[str | None] = reactive(None)
    """The id of the transfer under the cursor; None keeps it on the first line."""

    class Opened(Message):
        """A transfer is to be shown by itself."""

        def __init__(self, key: str) -> None:
            super().__init__()
            self.key = key

    class Copied(Message):
        """An id is to be put on the clipboard."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self) -> None:
        super().__init__()
        self._listing = Listing()
        self._sort = Sort()
        self._first = 0
        self._at = 0

    @property
    def item(self) -> Item | None:
        """What the cursor is on."""
        return self._listing.items[self._at] if self._listing.items else None

    @property
    def line(self) -> int:
        """The line that the cursor is on."""
        return self._at

    @property
    def room(self) -> int:
        """Lines below the heading."""
        return max(self.size.height - self._heading, 0)

    @property
    def _heading(self) -> int:
        """Lines above the transfers; what ended lately brings its own when it stands alone."""
        items = self._listing.items
        alone = bool(items) and not items[0].key
        return 0 if alone or self.size.height < 3 else 1

    def watch_frame(self, frame: Frame | None) -> None:
        """Take in what is new, and keep the cursor on its transfer."""
        if frame is None:
            return
        self._listing = arrange(frame.snapshot, self._listing, self._sort, self.room)
        found = self._listing.index(self.selected)
        if found is None and self.selected is not None:
            # The transfer has left: the cursor stays on its line, and then with who is there now.
            self._go(self._at)
        else:
            self._at = found if found is not None else self._listing.top
        self._scroll()

    def on_resize(self) -> None:
        """Show as many lines as there is room for."""
        self.watch_frame(self.frame)

    def render_line(self, y: int) -> Strip:
        """The heading, or one transfer."""
        if self.frame is None:
            return Strip.blank(self.size.width, self.rich_style)
        shown = fitting_columns(self.frame)
        if not self._listing.items:
            return Strip.blank(self.size.width, self.rich_style)
        if y < self._heading:
            out_of_sight = hidden(self._listing, self._first, self.room)
            return strip(self, table_head(self.frame, shown, self._sort, out_of_sight))
        index = self._first + y - self._heading
        if index >= len(self._listing.items):
            return Strip.blank(self.size.width, self.rich_style)
        item = self._listing.items[index]
        return strip(self, table_line(self.frame, item, shown, selected=index == self._at))

    def action_move(self, by: int) -> None:
        """Go so many lines down, past the line that is no transfer."""
        last = len(self._listing.items) - 1
        index = min(max(self._at + by, 0), last)
        if last >= 0 and not self._listing.items[index].key:
            index = min(max(index + (1 if by > 0 else -1), 0), last)
        self._go(index)

    def action_top(self) -> None:
        """Go to the first line, and stay there, whichever transfer comes to it."""
        self._go(self._listing.top)
        self.selected = None

    def action_page(self, by: int) -> None:
        """Go a screenful down, or up."""
        self.action_move(by * max(self.room - 1, 1))

    def action_trouble(self, by: int) -> None:
        """Go to the next transfer that is stalled or failed, around the end."""
        count = len(self._listing.items)
        turns = ((self._at + by * step) % count for step in range(1, count + 1))
        found = next((index for index in turns if self._listing.items[index].is_trouble), None)
        if found is not None:
            self._go(found)

    def action_open(self) -> None:
        """Show the transfer under the cursor by itself."""
        if self.item is not None and self.item.key:
            self.post_message(self.Opened(self.item.key))

    def action_copy(self) -> None:
        """Put the id of the transfer under the cursor on the clipboard."""
        known = self.item and (self.item.row or self.item.done)
        if known:
            self.post_message(self.Copied(known.id))

    def action_sort(self) -> None:
        """Sort by the next column."""
        if self.frame is not None:
            names = sortable(fitting_columns(self.frame))
            after = names.index(self._sort.column) + 1 if self._sort.column in names else 0
            self._sort = Sort(names[after % len(names)])
            self.watch_frame(self.frame)

    def action_reverse(self) -> None:
        """Sort from the other end."""
        self._sort = Sort(self._sort.column, not self._sort.reverse)
        self.watch_frame(self.frame)

    def on_click(self, event: events.Click) -> None:
        """Select; on the transfer that is selected already, open."""
        index = self._first + event.y - self._heading
        if not self._heading <= event.y or index >= len(self._listing.items):
            return
        if index == self._at:
            self.action_open()
        elif self._listing.items[index].key:
            self._go(index)

    def on_mouse_scroll_down(self) -> None:
        """Go down."""
        self.action_move(1)

    def on_mouse_scroll_up(self) -> None:
        """Go up."""
        self.action_move(-1)

    def _go(self, index: int) -> None:
        items = self._listing.items
        self._at = min(max(index, 0), max(len(items) - 1, 0))
        self.selected = items[self._at].key if items else None
        self._scroll()

    def _scroll(self) -> None:
        """Keep the cursor in sight."""
        longest = max(len(self._listing.items) - self.room, 0)
        self._first = min(max(self._first, self._at - self.room + 1), self._at, longest)
        self.refresh()
