"""A widget that shows the lines which a pure function draws from a frame."""

from collections.abc import Callable

from rich.text import Text
from textual.geometry import Size

from kvtrace.tui.frame import Frame
from kvtrace.tui.lined import Lined

Draw = Callable[[Frame], list[Text]]


class Drawn(Lined):
    """Lines across the whole width, as high as what is drawn."""

    DEFAULT_CSS = "Drawn { height: auto; width: 1fr; }"

    def __init__(self, draw: Draw, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._draw = draw

    def watch_frame(self, frame: Frame | None) -> None:
        """Draw anew, and ask for room where the number of lines has changed."""
        lines = self._draw(frame) if frame is not None else []
        self.put(lines, layout=len(lines) != len(self._lines))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many rows as there are lines."""
        return len(self._lines)
