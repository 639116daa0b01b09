"""The keys that move in a list, the same on every screen that has one."""

from textual.binding import Binding

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
