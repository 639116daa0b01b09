"""The screen with everything that was heard, as it comes."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import var
from textual.screen import Screen

from kvtrace import words
from kvtrace.moments import Record
from kvtrace.readings import Heard
from kvtrace.tui import event_page, moving
from kvtrace.tui.clipboard import Copied
from kvtrace.tui.cursor import Cursor
from kvtrace.tui.drawn import Drawn
from kvtrace.tui.empty import silent
from kvtrace.tui.event_list import EventList
from kvtrace.tui.filling import Filling
from kvtrace.tui.finder import Finder
from kvtrace.tui.frame import Frame
from kvtrace.tui.surround import TURNS, Surround
from kvtrace.tui.trouble import NoTrouble


class EventsScreen(Screen[None]):
    """One event a line, the newest at the bottom; moving up stops it."""

    AUTO_FOCUS = ""

    BINDINGS: ClassVar[list[BindingType]] = [
        *moving.DOWN_AND_UP,
        *moving.ENDS,
        moving.OPEN,
        Binding("slash", "find", "filter", key_display="/"),
        Binding("escape", "everything", "show all", key_display="esc", show=False),
        Binding("f", "follow", "follow"),
        *moving.TROUBLE,
        moving.COPY,
        *TURNS,
    ]

    frame: var[Frame | None] = var(None)

    class Opened(Message):
        """The transfer of an event is to be shown."""

        def __init__(self, record: Record) -> None:
            super().__init__()
            self.record = record

    def __init__(self, footer: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.following = True
        """Whether the cursor stays on the newest."""

        self._list = EventList()
        self._cursor = Cursor()
        self._number = 0
        self._room = 0
        self._around = Surround(EventsScreen.frame, lambda: ["Events"], footer)

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield from self._around.compose(
            Drawn(self._top, id="top").data_bind(EventsScreen.frame),
            Finder(self._engines),
            Filling(self._draw).data_bind(EventsScreen.frame),
        )

    @property
    def selected(self) -> Heard | None:
        """The event under the cursor."""
        items = self._list.items
        return items[self._cursor.at] if items else None

    def action_move(self, by: int) -> None:
        """Go so many events down; up stops following, down to the last follows again."""
        self._go(self._cursor.at + by)

    def action_page(self, by: int) -> None:
        """Go a screenful down, or up."""
        self._go(self._cursor.at + by * max(self._room - 1, 1))

    def action_top(self) -> None:
        """Go to the oldest."""
        self._go(0)

    def action_bottom(self) -> None:
        """Go to the newest, and stay on it."""
        self._go(len(self._list.items) - 1)

    def action_follow(self) -> None:
        """Stay on the newest."""
        self.action_bottom()

    def action_trouble(self, by: int) -> None:
        """Go to the next event that tells of a failure, around the end."""
        items = self._list.items
        turns = ((self._cursor.at + by * step) % len(items) for step in range(1, len(items) + 1))
        found = next((at for at in turns if event_page.is_failure(items[at])), None)
        if found is not None:
            self._go(found)
        else:
            self.post_message(NoTrouble("no event here tells of a failure"))

    def action_open(self) -> None:
        """Show the transfer that the event belongs to."""
        if self.selected is not None and isinstance(self.selected.news, Record):
            self.post_message(self.Opened(self.selected.news))
        else:
            said = "no event is listed" if self.selected is None else "this belongs to no transfer"
            self.post_message(NoTrouble(said))

    def action_copy(self) -> None:
        """Put the request's id on the clipboard."""
        if self.selected is not None and event_page.request_of(self.selected):
            self.post_message(Copied(event_page.request_of(self.selected)))
        else:
            said = "no event is listed" if self.selected is None else "this event is of no request"
            self.post_message(NoTrouble(said))

    def action_find(self) -> None:
        """Let one type what to see."""
        self.query_one(Finder).open()
        self._redraw()

    def action_everything(self) -> None:
        """Hide nothing any more."""
        self.query_one(Finder).set_filter("")

    def on_finder_sought(self, message: Finder.Sought) -> None:
        """See what fits."""
        self._list.seek(message.wanted)
        self._redraw()

    def on_finder_left(self) -> None:
        """The keys are the list's again."""
        self.set_focus(None)
        self._redraw()

    def on_finder_typed(self) -> None:
        """Say whether it can be understood."""
        self._redraw()

    def on_click(self, event: events.Click) -> None:
        """Select; on the one that is selected already, open its transfer."""
        inside = event.get_content_offset(self.query_one(Filling))
        if inside is None or not 1 <= inside.y <= self._room:
            return
        index = self._cursor.first + inside.y - 1
        if index == self._cursor.at:
            self.action_open()
        elif index < len(self._list.items):
            self._go(index)

    def on_mouse_scroll_down(self) -> None:
        """Go down."""
        self.action_move(3)

    def on_mouse_scroll_up(self) -> None:
        """Go up."""
        self.action_move(-3)

    def _go(self, index: int) -> None:
        count = len(self._list.items)
        self._cursor.go(index, count)
        self.following = self._cursor.at == count - 1
        self._number = self.selected.number if self.selected is not None else 0
        self._redraw()

    def _redraw(self) -> None:
        self.query_one(Filling).redraw()
        self.query_one("#top", Drawn).watch_frame(self.frame)

    def _engines(self) -> list[str]:
        known = self.frame.snapshot.engines if self.frame is not None else ()
        return [engine.name for engine in known]

    def _top(self, frame: Frame) -> list[Text]:
        blank = [Text()] if frame.height >= 30 else []
        shown, kept = len(self._list.items), len(frame.snapshot.tail)
        lines = self.query_one(Finder).line(frame, shown, kept)
        return [*blank, event_page.verdict(frame), *blank, *lines]

    def _draw(self, frame: Frame, room: int) -> list[Text]:
        self._list.take(frame.snapshot)
        items = self._list.items
        roomy = room >= 8
        self._room = max(room - (3 if roomy else 1), 1)
        at = len(items) - 1 if self.following else self._list.index(self._number)
        self._cursor.go(at, len(items))
        self._cursor.scroll(self._room, len(items))
        detail = event_page.whole(frame, self.selected) if roomy else []
        newer = len(items) - 1 - self._cursor.at
        note = "following" if self.following else f"{words.count(newer)} newer, f follows"
        first = self._cursor.first
        lines = [event_page.heading(frame, note)]
        for index, heard in enumerate(items[first : first + self._room], first):
            chosen = index == self._cursor.at
            lines.append(event_page.event_line(frame, heard, selected=chosen))
        if not frame.snapshot.tail:
            lines += silent(frame)[: max(room - len(lines), 0)]
        lines += [Text()] * (room - len(lines) - len(detail))
        return [*lines, *detail]
