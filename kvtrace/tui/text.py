"""Text that fits: cut, padded and laid out by the cells it takes, never by its characters."""

from collections.abc import Sequence

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.text import Text

from kvtrace.words import clean

PROSE = 110
"""Cells in which a line of prose ends, however wide the terminal."""


def piece(text: str, style: str) -> Text:
    """Text in that style, to which text in other styles can be added."""
    return Text().append(text, style)


def cells(text: str) -> int:
    """How many columns the text takes once what cannot be printed is replaced."""
    return len(text) if text.isascii() and text.isprintable() else cell_len(clean(text))


def cut(text: str, width: int, sign: str = "…") -> str:
    """The text that can be printed, in at most so many cells; cut text ends in a sign."""
    if text.isascii() and len(text) <= width and text.isprintable():
        return text
    text = clean(text)
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(width - cell_len(sign), 0)).rstrip() + sign[: max(width, 0)]


def pad(text: str, width: int, *, right: bool = False, sign: str = "…") -> str:
    """The text in exactly so many cells, at their left or right end."""
    text = cut(text, width, sign)
    space = " " * (width - cells(text))
    return space + text if right else text + space


def clean_signs(text: str) -> str:
    """The text with one cell for each sign: what takes two becomes `?`, what takes none goes."""
    signs = ((sign, cell_len(sign)) for sign in clean(text))
    return "".join(sign if width == 1 else "??" for sign, width in signs if width)


def flow(items: Sequence[Text], width: int, *, gap: int = 3) -> Text:
    """The items in one line; those that do not fit are dropped whole, from the right."""
    line = Text()
    for item in items:
        space = gap if line else 0
        if line.cell_len + space + item.cell_len > width:
            break
        line.append(" " * space)
        line.append_text(item)
    return line


def shortened(line: Text, width: int, sign: str = "…") -> Text:
    """The line in at most so many cells; a cut one ends in a sign."""
    line = line.copy()
    if line.cell_len > width:
        line.truncate(max(width - cell_len(sign), 0), overflow="crop")
        line.append(sign[:width])
    return line


def beside(left: Text, right: Text, width: int, sign: str = "…") -> Text:
    """Both in one line of that width, at its ends; the left is cut where they would meet."""
    line = shortened(left, max(width - right.cell_len - 1, 0), sign)
    line.append(" " * max(width - line.cell_len - right.cell_len, 0))
    line.append_text(right)
    return line


def wrap(text: str, width: int) -> list[str]:
    """The text broken at spaces into lines of at most so many cells; longer words are cut up."""
    lines = [""]
    parts = (part for word in clean(text).split() for part in chop_cells(word, max(width, 2)))
    for word in parts:
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and cell_len(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
