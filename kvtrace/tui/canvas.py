"""A sheet of cells to draw on, of which each holds one sign and its style."""

from rich.cells import cell_len
from rich.text import Text

from kvtrace.tui.text import clean_signs


class Canvas:
    """So many columns and rows; what is put outside of it is cut off."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self._cells: list[list[tuple[str, str]]] = [[(" ", "")] * width for _ in range(height)]
        self._taken = [[False] * width for _ in range(height)]

    def put(self, x: int, y: int, text: str, style: str, *, ground: bool = False) -> None:
        """Write the text from there to the right; `ground` leaves the cells free for others."""
        for sign in clean_signs(text):
            if 0 <= x < self.width and 0 <= y < self.height:
                self._cells[y][x] = (sign, style)
                self._taken[y][x] = not ground
            x += 1

    def sign(self, x: int, y: int) -> str:
        """What is there."""
        return self._cells[y][x][0]

    def is_free(self, x: int, y: int, count: int) -> bool:
        """Whether so many cells from there are on the sheet and hold nothing but ground."""
        if x < 0 or x + count > self.width or not 0 <= y < self.height:
            return False
        return not any(self._taken[y][x : x + count])

    def label(self, x: int, y: int, text: str, style: str) -> bool:
        """Write the text if its cells are free; whether it was written."""
        free = self.is_free(x, y, cell_len(text))
        if free:
            self.put(x, y, text, style)
        return free

    def lines(self) -> list[Text]:
        """The rows as text."""
        rows = []
        for cells in self._cells:
            line = Text()
            for sign, style in cells:
                line.append(sign, style)
            rows.append(line)
        return rows
