"""The keys that move in a list, the same on every screen that has one."""

from collections.abc import Container, Sequence
from typing import TypeVar

from textual.binding import Binding

T = TypeVar("T")

DOWN_AND_UP = (
    Binding("j,down", "move(1)", "down", key_display="j ↓", show=False),
    Binding("k,up", "move(-1)", "up", key_display="k ↑", show=False),
    Binding("pagedown", "page(1)", "page down", key_display="PgDn", show=False),
    Binding("pageup", "page(-1)", "page up", key_display="PgUp", show=False),
)
"""By a line, and by a screenful."""

ENDS = (
    Binding("g,home", "top", "first", key_display="g", show=False),
    Binding("G,end", "bottom", "last", key_display="G", show=False),
)
"""To the first and to the last."""

TROUBLE = (
    Binding("n", "trouble(1)", "next trouble"),
    Binding("N", "trouble(-1)", "previous trouble", show=False),
)
"""To what is wrong, around the end."""

COPY = Binding("y", "copy", "copy id")
OPEN = Binding("enter", "open", "open", key_display="⏎")


def moved(among: Sequence[T], selected: T | None, by: int) -> T | None:
    """What is so many places further, at most at an end; None where there is nothing."""
    if not among:
        return None
    return among[min(max(_place(among, selected) + by, 0), len(among) - 1)]


def onward(among: Sequence[T], selected: T | None, by: int, wanted: Container[T]) -> T | None:
    """The next of those wanted, around the end; None where there is none."""
    at = _place(among, selected)
    turns = (among[(at + by * step) % len(among)] for step in range(1, len(among) + 1))
    return next((one for one in turns if one in wanted), None)


def _place(among: Sequence[T], selected: T | None) -> int:
    return 0 if selected is None or selected not in among else among.index(selected)
