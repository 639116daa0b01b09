"""A widget that fills what room there is with the lines that a pure function draws."""

from collections.abc import Callable

from rich.text import Text

from kvtrace.tui.frame import Frame
from kvtrace.tui.lined import Lined

Fill = Callable[[Frame, int], list[Text]]
"""Draws a frame in so many lines."""


class Filling(Lined):
    """Lines across the whole width, and as many as there is room for."""

    DEFAULT_CSS = "Filling { height: 1fr; width: 1fr; }"

    def __init__(self, draw: Fill, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._draw = draw

    def watch_frame(self) -> None:
        """Draw anew."""
        self.redraw()

    def on_resize(self) -> None:
        """Fit the new room."""
        self.redraw()

    def redraw(self) -> None:
        """Draw the frame again, since what is looked at has changed."""
        room = self.size.height
        self.put(self._draw(self.frame, room) if self.frame is not None and room else [])
