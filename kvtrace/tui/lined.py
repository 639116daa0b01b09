"""A widget of lines, of which only those that changed are drawn anew."""

from itertools import pairwise, zip_longest

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.geometry import Region
from textual.reactive import var
from textual.strip import Strip
from textual.widget import Widget

from kvtrace.tui.frame import Frame
from kvtrace.tui.glyphs import UTF8, plain
from kvtrace.tui.look import Look
from kvtrace.words import clean


class Lined(Widget):
    """Lines across the whole width; those not there are blank."""

    frame: var[Frame | None] = var(None)

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines: list[Text] = []
        self._look: Look | None = None
        self._ground = Style.null()
        self._styles: dict[str | Style, Style] = {}
        """Of each style on that ground, what it comes to."""

    def put(self, lines: list[Text], *, layout: bool = False) -> None:
        """Show these; `layout` asks for room anew."""
        before, self._lines = self._lines, lines
        look = self.frame.look if self.frame is not None else None
        if layout or look != self._look:
            self._look = look
            self.refresh(layout=layout)
            return
        pairs = enumerate(zip_longest(before, lines))
        changed = [y for y, (old, new) in pairs if not _same(old, new)]
        if changed:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines there, on the ground of the screen, which is worked out once for all."""
        ground = self.rich_style
        if ground != self._ground:
            self._ground, self._styles = ground, {}
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """The line as it was put, as wide as the widget."""
        line = self._lines[y] if y < len(self._lines) else Text()
        if not line.plain.isprintable():
            # Whatever comes from outside, the terminal never sees an escape of it.
            line = line.copy()
            line.plain = clean(line.plain)
        if self._is_plain and not line.plain.isascii():
            line = line.copy()
            line.plain = "".join(one if one.isascii() else plain(one)[:1] for one in line.plain)
        drawn = Strip(self._segments(line), line.cell_len)
        return drawn.adjust_cell_length(self.size.width, self._ground)

    @property
    def _is_plain(self) -> bool:
        """Whether the terminal can show no more than ASCII, whatever was put."""
        return self._look is not None and self._look.glyphs is not UTF8

    def _segments(self, line: Text) -> list[Segment]:
        """What has one style each, on the ground; styles may lie over each other."""
        spans = line.spans
        if line.style or any(one.end > two.start for one, two in pairwise(spans)):
            whole = Strip(line.render(self.app.console)).apply_style(self._ground)
            return list(whole)
        found, at, plain = [], 0, line.plain
        for start, end, style in spans:
            if start > at:
                found.append(Segment(plain[at:start], self._ground))
            found.append(Segment(plain[start:end], self._style(style)))
            at = max(at, end)
        if at < len(plain):
            found.append(Segment(plain[at:], self._ground))
        return found

    def _style(self, style: str | Style) -> Style:
        made = self._styles.get(style)
        if made is None:
            made = self._styles[style] = self._ground + self.app.console.get_style(style)
        return made


def _same(one: Text | None, other: Text | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.plain == other.plain and one.spans == other.spans and one.style == other.style
