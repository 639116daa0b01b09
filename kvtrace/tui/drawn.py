"""A widget that shows the lines which a pure function draws from a frame."""

from collections.abc import Callable

from rich.text import Text
from textual.geometry import Size
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from kvtrace.tui.frame import Frame
from kvtrace.words import clean

Draw = Callable[[Frame], list[Text]]


class Drawn(Widget):
    """Lines across the whole width, as high as what is drawn."""

    DEFAULT_CSS = "Drawn { height: auto; width: 1fr; }"

    frame: reactive[Frame | None] = reactive(None)

    def __init__(self, draw: Draw, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._draw = draw
        self._lines: list[Text] = []

    def watch_frame(self, frame: Frame | None) -> None:
        """Draw anew, and ask for room where the number of lines has changed."""
        lines = self._draw(frame) if frame is not None else []
        grown = len(lines) != len(self._lines)
        self._lines = lines
        self.refresh(layout=grown)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many rows as there are lines."""
        return len(self._lines)

    def render_line(self, y: int) -> Strip:
        """The line as it was drawn, on the ground of the screen."""
        line = self._lines[y] if y < len(self._lines) else Text()
        return strip(self, line)


def strip(widget: Widget, line: Text) -> Strip:
    """The line as Textual wants it: as wide as the widget, on the widget's ground."""
    if not line.plain.isprintable():
        # Whatever comes from outside, the terminal never sees an escape of it.
        line = line.copy()
        line.plain = clean(line.plain)
    drawn = Strip(line.render(widget.app.console), line.cell_len)
    return drawn.adjust_cell_length(widget.size.width).apply_style(widget.rich_style)
