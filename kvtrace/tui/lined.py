"""A widget of lines, of which only those that changed are drawn anew."""

from collections.abc import Iterable, Sequence
from itertools import pairwise, zip_longest

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.color import Color
from textual.filter import LineFilter
from textual.geometry import Region
from textual.reactive import var
from textual.strip import Strip
from textual.widget import Widget

from kvtrace.tui.frame import Frame
from kvtrace.tui.glyphs import UTF8, plain
from kvtrace.tui.look import Look
from kvtrace.words import clean


class Line(Strip):
    """One that does not remember itself as its only part, and so is no garbage to be looked for."""

    __slots__ = ()

    def divide(self, cuts: Iterable[int]) -> Sequence[Strip]:
        """The parts between these cuts."""
        every = list(cuts)
        whole = every == [self.cell_length]
        return [self] if whole else super().divide(every)


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

        self._around: tuple[Style, int, Color, tuple[LineFilter, ...]] | None = None
        """What else than its text a line is drawn from."""

        self._drawn_of: dict[int, tuple[Text | None, Line]] = {}
        """What was drawn of each line, by its place."""

    def put(self, lines: list[Text], *, layout: bool = False) -> None:
        """Show these; `layout` asks for room anew."""
        before, self._lines = self._lines, lines
        look = self.frame.look if self.frame is not None else None
        if layout or look != self._look:
            self._look = look
            self._drawn_of.clear()
            self.refresh(layout=layout)
            return
        pairs = enumerate(zip_longest(before, lines))
        changed = {y for y, (old, new) in pairs if not _same(old, new)}
        # What was drawn of a line is known by it, and not by one that only reads the same.
        self._lines = [line if y in changed else before[y] for y, line in enumerate(lines)]
        if changed:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in sorted(changed)))

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines there; those are drawn that were not yet."""
        ground = self.rich_style
        behind = self.background_colors[1]
        around = ground, self.size.width, behind, tuple(self.get_line_filters())
        if around != self._around:
            self._around, self._ground = around, ground
            self._styles.clear()
            self._drawn_of.clear()
        found = [self._drawn_line(y) for y in crop.line_range]
        if crop.column_span == (0, self.size.width):
            return list(found)
        return [line.crop(*crop.column_span) for line in found]

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
        drawn, width = Strip(self._segments(line), line.cell_len), self.size.width
        return drawn.adjust_cell_length(width, self._ground) if line.cell_len != width else drawn

    def _drawn_line(self, y: int) -> Line:
        line = self._lines[y] if y < len(self._lines) else None
        known = self._drawn_of.get(y)
        if known is None or known[0] is not line:
            known = self._drawn_of[y] = line, self._filtered(self.render_line(y))
        return known[1]

    def _filtered(self, drawn: Strip) -> Line:
        """The same as the terminal can show it."""
        segments = list(drawn)
        if self._around is not None:
            *_, behind, filters = self._around
            for one in filters:
                segments = one.apply(segments, behind)
        return Line(segments, drawn.cell_length)

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
