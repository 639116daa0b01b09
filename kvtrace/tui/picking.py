"""A screen of one list: a line for each thing, and below it all about the one under the cursor."""

from abc import abstractmethod
from collections.abc import Container, Sequence
from typing import ClassVar, Generic, TypeVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.reactive import var
from textual.screen import Screen

from kvtrace.tui import moving
from kvtrace.tui.filling import Filling
from kvtrace.tui.frame import Frame
from kvtrace.tui.surround import TURNS, Surround
from kvtrace.tui.trouble import NoTrouble

T = TypeVar("T", bound=str)


class Wanted(Message):
    """The transfers that a filter lets through are to be shown."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        """The filter."""


class PickingScreen(Screen[None], Generic[T]):
    """Keys, mouse and cursor; what is listed and drawn is told by each such screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *moving.DOWN_AND_UP,
        *moving.ENDS,
        moving.OPEN,
        *moving.TROUBLE,
        moving.COPY,
        *TURNS,
    ]

    CALM: ClassVar[str] = ""
    """What is said where nothing in the list is in trouble."""

    EMPTY: ClassVar[str] = ""
    """What is said where a key wants something that is listed, and nothing is."""

    frame: var[Frame | None] = var(None)

    def __init__(self, title: str, footer: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.selected: T | None = None
        """What is under the cursor."""

        self._around = Surround(PickingScreen.frame, lambda: [title], footer)

    @abstractmethod
    def every(self, frame: Frame) -> list[T]:
        """What is listed, in order."""

    @abstractmethod
    def troubled(self, frame: Frame) -> Container[T]:
        """What of it is in trouble now."""

    @abstractmethod
    def row_at(self, frame: Frame, room: int, y: int) -> T | None:
        """What stands on that line."""

    @abstractmethod
    def filter_of(self, frame: Frame, picked: T) -> str:
        """The filter that shows its transfers alone."""

    @abstractmethod
    def lines(self, frame: Frame, room: int) -> list[Text]:
        """The list, and all about what is selected, in so many lines."""

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield from self._around.compose(Filling(self._draw).data_bind(PickingScreen.frame))

    def action_move(self, by: int) -> None:
        """Go so many lines down."""
        found = moving.moved(self._every(), self.selected, by)
        if found is not None:
            self._choose(found)

    def action_page(self, by: int) -> None:
        """Go ten lines down, or up."""
        self.action_move(10 * by)

    def action_top(self) -> None:
        """Go to the first."""
        self.action_move(-len(self._every()))

    def action_bottom(self) -> None:
        """Go to the last."""
        self.action_move(len(self._every()))

    def action_trouble(self, by: int) -> None:
        """Go to the next in trouble, around the end."""
        if self.frame is None:
            return
        found = moving.onward(self._every(), self.selected, by, self.troubled(self.frame))
        if found is not None:
            self._choose(found)
        else:
            self.post_message(NoTrouble(self.CALM))

    def action_open(self) -> None:
        """Show the transfers of what is under the cursor."""
        if self.selected is not None and self.frame is not None:
            self.post_message(Wanted(self.filter_of(self.frame, self.selected)))
        else:
            self.say_empty()

    def say_empty(self) -> None:
        """Say why a key does nothing here."""
        self.post_message(NoTrouble(self.EMPTY))

    def on_click(self, event: events.Click) -> None:
        """Select what was clicked; what is selected already is opened."""
        filling = self.query_one(Filling)
        inside = event.get_content_offset(filling)
        if inside is None or self.frame is None:
            return
        found = self.row_at(self.frame, filling.size.height, inside.y)
        if found is not None and found == self.selected:
            self.action_open()
        elif found is not None:
            self._choose(found)

    def on_mouse_scroll_down(self) -> None:
        """Go down."""
        self.action_move(1)

    def on_mouse_scroll_up(self) -> None:
        """Go up."""
        self.action_move(-1)

    def _every(self) -> list[T]:
        return self.every(self.frame) if self.frame is not None else []

    def _choose(self, picked: T) -> None:
        self.selected = picked
        self.query_one(Filling).redraw()

    def _draw(self, frame: Frame, room: int) -> list[Text]:
        every = self.every(frame)
        if self.selected not in every:
            self.selected = every[0] if every else None
        return self.lines(frame, room)
