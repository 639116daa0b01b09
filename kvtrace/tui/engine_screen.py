"""The screen that says what each engine is, and whether two that must be alike are not."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.reactive import var
from textual.screen import Screen

from kvtrace.tui import engine_page, moving
from kvtrace.tui.clipboard import Copied
from kvtrace.tui.filling import Filling
from kvtrace.tui.frame import Frame
from kvtrace.tui.surround import TURNS, Surround
from kvtrace.tui.trouble import NoTrouble


class EnginesScreen(Screen[None]):
    """A row for each engine; below, all that the one under the cursor told of itself."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *moving.DOWN_AND_UP,
        *moving.ENDS,
        moving.OPEN,
        *moving.TROUBLE,
        moving.COPY,
        *TURNS,
    ]

    frame: var[Frame | None] = var(None)

    class Opened(Message):
        """The transfers of an engine are to be shown."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text
            """The filter that shows them alone."""

    def __init__(self, footer: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.selected: str | None = None
        """The id of the engine under the cursor."""

        self._around = Surround(EnginesScreen.frame, lambda: ["Engines"], footer)

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield from self._around.compose(Filling(self._draw).data_bind(EnginesScreen.frame))

    def action_move(self, by: int) -> None:
        """Go so many engines down."""
        found = moving.moved(self._ids(), self.selected, by)
        if found is not None:
            self._choose(found)

    def action_page(self, by: int) -> None:
        """Go ten engines down, or up."""
        self.action_move(10 * by)

    def action_top(self) -> None:
        """Go to the first."""
        self.action_move(-len(self._ids()))

    def action_bottom(self) -> None:
        """Go to the last."""
        self.action_move(len(self._ids()))

    def action_trouble(self, by: int) -> None:
        """Go to the next engine that is waited for or not well, around the end."""
        if self.frame is None:
            return
        bad = {one.id for one in self.frame.snapshot.engines if engine_page.is_trouble(one)}
        found = moving.onward(self._ids(), self.selected, by, bad)
        if found is not None:
            self._choose(found)
        else:
            self.post_message(NoTrouble("no engine is waited for or unwell"))

    def action_open(self) -> None:
        """Show the transfers of the engine under the cursor."""
        if self.selected is not None and self.frame is not None:
            name = self.frame.snapshot.names.get(self.selected, self.selected)
            self.post_message(self.Opened(f"engine:{name}"))

    def action_copy(self) -> None:
        """Put the engine's id on the clipboard."""
        if self.selected is not None:
            self.post_message(Copied(self.selected))

    def on_click(self, event: events.Click) -> None:
        """Select the engine; the one that is selected already is opened."""
        filling = self.query_one(Filling)
        inside = event.get_content_offset(filling)
        if inside is None or self.frame is None:
            return
        found = engine_page.row_at(self.frame, self.selected, filling.size.height, inside.y)
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

    def _ids(self) -> list[str]:
        return [one.id for one in engine_page.ordered(self.frame)] if self.frame else []

    def _choose(self, engine: str) -> None:
        self.selected = engine
        self.query_one(Filling).redraw()

    def _draw(self, frame: Frame, room: int) -> list[Text]:
        ids = [one.id for one in engine_page.ordered(frame)]
        if self.selected not in ids:
            self.selected = ids[0] if ids else None
        return engine_page.page(frame, self.selected, room)
