"""Draws a grid of cells, producers down and consumers across, in as much as fits."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import msgspec
from rich.text import Text

from kvtrace.tui.frame import Frame
from kvtrace.tui.look import Look
from kvtrace.tui.text import cells as cells_of
from kvtrace.tui.text import pad, piece

At: TypeAlias = tuple[str, str]
"""The row's key and the column's."""

GROUP = 8
"""Columns of small cells between two gaps."""

SEVERAL = 12
"""Engines on a side up to which a cell says its number."""


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """What one cell says."""

    said: str = ""
    unit: str = ""
    """Behind what is said, where there is room."""

    below: str = ""
    share: int | None = None
    """Per cent of the cell's own best, for the height of its bar; None draws no bar."""

    mark: str = ""
    """`!3`, `~`, or nothing."""

    role: str = "text"
    """Of the mark, and of what is said where it is no good."""


class Form(msgspec.Struct, frozen=True):
    """How large a cell is."""

    width: int
    height: int
    gap: int = 0
    """Blank lines below."""


LARGE, MIDDLE, SMALL = Form(18, 3, 1), Form(12, 2), Form(2, 1)


class Grid(msgspec.Struct, frozen=True, kw_only=True):
    """Cells by row and column, and which of them are looked at."""

    rows: Sequence[tuple[str, str]]
    """Key and name of each."""

    columns: Sequence[tuple[str, str]]
    cells: Mapping[At, Cell]
    cursor: At | None = None


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """Which cells are in sight, and where."""

    form: Form
    left: int
    """Cells before the first column."""

    top: int
    rows: int
    first_column: int
    columns: int

    def x(self, column: int) -> int:
        """Where a column in sight begins."""
        inside = column - self.first_column
        gaps = inside // GROUP if self.form is SMALL else 0
        return self.left + inside * self.form.width + gaps

    def at(self, grid: Grid, x: int, y: int) -> At | None:
        """The cell drawn there, where y counts from below the heading."""
        row = self.top + y // (self.form.height + self.form.gap)
        for column in range(self.first_column, self.first_column + self.columns):
            inside = self.x(column) <= x < self.x(column) + self.form.width
            if inside and y >= 0 and row < min(self.top + self.rows, len(grid.rows)):
                return grid.rows[row][0], grid.columns[column][0]
        return None


def window(grid: Grid, width: int, height: int) -> Window:
    """What is in sight in so much room, the cursor among it; a line is for the heading."""
    left = max((cells_of(name) for _, name in grid.rows), default=0) + 3
    form = _form(grid, width - left - 1, height - 1)
    groups = GROUP if form is SMALL else 0
    columns = max((width - left - 1) // form.width, 1)
    if groups:
        columns = max((width - left - 1) * groups // (groups * form.width + 1), 1)
    rows = max((height - 1 + form.gap) // (form.height + form.gap), 1)
    row, column = _cursor(grid)
    return Window(
        form=form,
        left=left,
        top=_first(row, rows, len(grid.rows)),
        rows=rows,
        first_column=_first(column, columns, len(grid.columns)),
        columns=min(columns, len(grid.columns)),
    )


def height(grid: Grid, width: int) -> int:
    """The lines that the grid takes at least, so that all rows are seen."""
    form = SMALL if max(len(grid.rows), len(grid.columns)) > SEVERAL else MIDDLE
    return 1 + form.height * len(grid.rows)


def _form(grid: Grid, width: int, height: int) -> Form:
    """The largest in which everything fits; the smallest only where there are many."""
    for form in (LARGE, MIDDLE):
        wide = form.width * len(grid.columns) <= width
        high = (form.height + form.gap) * len(grid.rows) - form.gap <= height
        if wide and high:
            return form
    few = max(len(grid.rows), len(grid.columns)) <= SEVERAL
    return MIDDLE if few and width >= MIDDLE.width and height >= MIDDLE.height else SMALL


def _cursor(grid: Grid) -> tuple[int, int]:
    keys = [key for key, _ in grid.rows], [key for key, _ in grid.columns]
    chosen = grid.cursor or ("", "")
    found = [ks.index(key) if key in ks else 0 for ks, key in zip(keys, chosen, strict=True)]
    return found[0], found[1]


def _first(at: int, room: int, count: int) -> int:
    """The first in sight: the start as long as the cursor allows it."""
    return min(max(at - room + 1, 0), max(count - room, 0))


def draw(grid: Grid, seen: Window, frame: Frame) -> list[Text]:
    """The heading, and the rows in sight."""
    columns = range(seen.first_column, min(seen.first_column + seen.columns, len(grid.columns)))
    lines = [_heading(grid, seen, columns, frame)]
    shown = grid.rows[seen.top : seen.top + seen.rows]
    for index, (key, name) in enumerate(shown):
        for part in range(seen.form.height):
            name_line = min(1, seen.form.height - 2) if seen.form is LARGE else 0
            said = name if part == name_line else ""
            line = piece(" " + pad(said, seen.left - 1), frame.look.style("strong"))
            for column in columns:
                line.append(" " * (seen.x(column) - line.cell_len))
                at = key, grid.columns[column][0]
                line.append_text(_part(grid, at, part, seen.form, frame.look))
            lines.append(line)
        if index < len(shown) - 1:
            lines += [Text()] * seen.form.gap
    return lines


def _heading(grid: Grid, seen: Window, columns: range, frame: Frame) -> Text:
    line = Text()
    style = frame.look.style("strong")
    for column in columns:
        first = not (column - seen.first_column) % GROUP
        if seen.form is SMALL and not first:
            continue
        width = GROUP * seen.form.width if seen.form is SMALL else seen.form.width - 2
        line.append(" " * (seen.x(column) - line.cell_len))
        line.append(pad(" " * (seen.form is not SMALL) + grid.columns[column][1], width), style)
    line.truncate(frame.width - 1)
    return line


def _part(grid: Grid, at: At, part: int, form: Form, look: Look) -> Text:
    cell, selected = grid.cells.get(at), at == grid.cursor
    draw_part = {LARGE: _large, MIDDLE: _middle, SMALL: _small}[form]
    line = draw_part(cell, part, look)
    gap = 0 if form is SMALL else 2
    line.truncate(form.width - gap, pad=True)
    if selected and (form is not MIDDLE or look.colour or not part):
        line.stylize(look.selection if form is not SMALL or not look.colour else "reverse")
    return line


def _large(cell: Cell | None, part: int, look: Look) -> Text:
    width = LARGE.width - 2
    if cell is None:
        return piece(look.glyphs.quiet if part == 1 else "", look.style("muted"))
    if part == 0:
        said = f"{cell.said} {cell.unit}".rstrip()
        line = piece(" " + said, _style(cell, look))
        line.append(" " * max(width - 1 - line.cell_len - cells_of(cell.mark), 1))
        return line.append(cell.mark, look.style(cell.role))
    if part == 1:
        return Text(" ").append_text(_bar(cell, width - 2, look))
    return piece(" " + cell.below, look.style("muted"))


def _middle(cell: Cell | None, part: int, look: Look) -> Text:
    if cell is None:
        return piece(f" {look.glyphs.quiet}" if part == 0 else "", look.style("muted"))
    if part == 0:
        line = Text(" ").append_text(_height(cell, look))
        line.append(pad(cell.said, 5, right=True), _style(cell, look))
        return line.append(f" {cell.mark}", look.style(cell.role))
    number = cell.below.partition(" ")[0]
    return piece(pad(number, 7, right=True), look.style("muted"))


def _small(cell: Cell | None, part: int, look: Look) -> Text:
    if cell is None:
        return piece(look.glyphs.quiet, look.style("muted"))
    line = _height(cell, look)
    return line.append(cell.mark[:1], look.style(cell.role))


def _style(cell: Cell, look: Look) -> str:
    bad = cell.role == "slow" and cell.mark
    return look.style(cell.role, bold=True) if bad else look.style("text")


def _height(cell: Cell, look: Look) -> Text:
    """One sign, as high as the share of the cell's own best."""
    if cell.share is None:
        return piece(look.glyphs.quiet, look.style("muted"))
    signs = look.glyphs.spark
    sign = signs[min(cell.share * len(signs) // 100, len(signs) - 1)]
    return piece(sign, look.style("slow" if cell.role == "slow" else "write"))


def _bar(cell: Cell, width: int, look: Look) -> Text:
    if cell.share is None:
        return piece(look.glyphs.quiet * width, look.style("rule"))
    full = max(round(min(cell.share, 100) * width / 100), 1)
    bar = piece(look.glyphs.full * full, look.style("slow" if cell.role == "slow" else "write"))
    return bar.append(look.glyphs.empty * (width - full), look.style("rule"))
