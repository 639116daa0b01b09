"""The signs that screens draw with, in UTF-8 and, where the locale has no more, in ASCII."""

import msgspec


class Glyphs(msgspec.Struct, frozen=True, kw_only=True):
    """One sign for each meaning."""

    stalled: str = "!"
    slow: str = "~"
    unseen: str = "?"
    event: str = "●"
    missing: str = "○"
    failed: str = "✗"
    finished: str = "✓"
    arrow: str = "→"
    handshake: str = "⇄"
    nothing: str = "–"
    cut: str = "…"
    cursor: str = "▌"
    pointer: str = "▸"
    sorted: str = "▾"
    live: str = "●"
    playing: str = "►"
    paused: str = "‖"
    within: str = "›"
    unequal: str = "≠"
    marked: str = "■"
    quiet: str = "·"
    gap: str = "╌"
    fold: str = "╱╱"
    enter: str = "⏎"
    sideways: str = "← →"
    spark: str = "▁▂▃▄▅▆▇"
    full: str = "━"
    empty: str = "─"
    textures: str = "░▒▓█"
    """Of the phases in their order."""

    down: str = "│"
    across: str = "─"
    down_across: str = "╰"
    up_across: str = "╭"
    crossing: str = "┼"
    bracket: str = "╰─╯"


UTF8 = Glyphs()

ASCII = Glyphs(
    event="*",
    missing="o",
    failed="X",
    finished="v",
    arrow="->",
    handshake="<>",
    nothing="-",
    cut="..",
    cursor=">",
    pointer=">",
    sorted="v",
    live="*",
    playing=">",
    paused="=",
    within=">",
    unequal="!=",
    marked="+",
    quiet=".",
    gap="-",
    fold="//",
    enter="enter",
    sideways="<- ->",
    spark="_.-:=+#",
    full="=",
    empty="-",
    textures="-=#@",
    down="|",
    across="-",
    down_across="\\",
    up_across="/",
    crossing="+",
    bracket="\\-/",
)

_PLAIN_WORDS = str.maketrans(
    {
        "µ": "u",
        "±": "+-",
        "−": "-",
        "–": "-",
        "…": ".",
        "≠": "!=",
        "’": "'",
        "⁹": "^9",
        "→": "->",
        "←": "<-",
        "↓": "down",
        "↑": "up",
        "⏎": "enter",
    }
)


def plain(text: str) -> str:
    """The text in ASCII alone; what has no ASCII form becomes `?`."""
    return text.translate(_PLAIN_WORDS).encode("ascii", "replace").decode("ascii")
