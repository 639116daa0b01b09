"""A widget that fills what room there is with the lines that a pure function draws."""

from collections.abc import Callable

from rich.text import Text
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from kvtrace.tui.drawn import strip
from kvtrace.tui.frame import Frame

Fill = Callable[[Frame, int], list[Text]]
"""Draws a frame in so many lines."""


class Filling(Widget):
    """Lines across the whole width, and as many as there is room for."""

    DEFAULT_CSS = "Filling { height: 1fr; width: 1fr; }"

    frame: reactive[Frame | None] = reactive(None)

    def __init__(self, draw: Fill, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._draw = draw
        self._lines: list[Text] = []

    def watch_frame(self) -> None:
        """Draw anew."""
        self.redraw()

    def on_resize(self) -> None:
        """Fit the new room."""
        self.redraw()

    def redraw(self) -> None:
        """Draw the frame again, since what is looked at has changed."""
        room = self.size.height
        self._lines = self._draw(self.frame, room) if self.frame is not None and room else []
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """The line as it was drawn, on the ground of the screen."""
        return strip(self, self._lines[y] if y < len(self._lines) else Text())
