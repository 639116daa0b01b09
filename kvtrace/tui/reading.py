"""A page to read, which may be longer than the screen."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.reactive import var
from textual.screen import Screen

from kvtrace.tui import moving
from kvtrace.tui.filling import Filling
from kvtrace.tui.frame import Frame
from kvtrace.tui.shown import key_of
from kvtrace.tui.surround import Surround
from kvtrace.tui.text import piece


class ReadingScreen(Screen[None]):
    """Lines that scroll; the last one shown says how many are below."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "app.pop_screen", "back", key_display="esc"),
        *moving.DOWN_AND_UP,
    ]

    frame: var[Frame | None] = var(None)

    def __init__(self, path: Sequence[str], footer: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._first = 0
        self._around = Surround(ReadingScreen.frame, lambda: list(path), footer)

    def lines(self, frame: Frame) -> list[Text]:
        """The whole page, as wide as the frame."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """Header, page, losses, keys."""
        yield from self._around.compose(Filling(self._shown).data_bind(ReadingScreen.frame))

    def action_page(self, by: int) -> None:
        """Go ten lines down, or up."""
        self.action_move(10 * by)

    def action_move(self, by: int) -> None:
        """Go so many lines down, where the page is longer than the screen."""
        self._first = max(self._first + by, 0)
        self.query_one(Filling).redraw()

    def _shown(self, frame: Frame, room: int) -> list[Text]:
        lines = self.lines(frame)
        self._first = min(self._first, max(len(lines) - room, 0))
        shown = lines[self._first : self._first + room]
        below = len(lines) - self._first - len(shown)
        if below and shown:
            more = f" {key_of(moving.DOWN_AND_UP[0])}  {below} more lines"
            shown[-1] = piece(frame.look.words(more), frame.look.style("muted"))
        return shown
