"""How things look: the colours of each theme, and what stands in for them where there are none."""

import msgspec
from rich.text import Text

from kvtrace.model import Phase
from kvtrace.tui.glyphs import UTF8, Glyphs, plain
from kvtrace.tui.text import piece


class Palette(msgspec.Struct, frozen=True, kw_only=True):
    """One theme's colours by what they mean."""

    background: str
    bar: str
    selected: str
    text: str
    strong: str
    muted: str
    rule: str
    registration: str
    readiness: str
    write: str
    completion: str
    stalled: str
    slow: str


DARK = Palette(
    background="#0f1319",
    bar="#181e28",
    selected="#1b2535",
    text="#d5dbe5",
    strong="#ffffff",
    muted="#8d97a8",
    rule="#3d4757",
    registration="#6b89dd",
    readiness="#d8befd",
    write="#36bf9f",
    completion="#f5f6c3",
    stalled="#fe4b2d",
    slow="#fcb527",
)

LIGHT = Palette(
    background="#fcfcfa",
    bar="#efeee9",
    selected="#eaf0f9",
    text="#22272f",
    strong="#000000",
    muted="#5d6672",
    rule="#c3c6cb",
    registration="#2549c8",
    readiness="#731e7b",
    write="#177778",
    completion="#463d05",
    stalled="#ad3141",
    slow="#b54e00",
)

CONTRAST = Palette(
    background="#000000",
    bar="#000000",
    selected="#000000",
    text="#ffffff",
    strong="#ffffff",
    muted="#ffffff",
    rule="#b4b4b4",
    registration="#8fb4ff",
    readiness="#e6c4ff",
    write="#3fe0bb",
    completion="#ffffb0",
    stalled="#ff6347",
    slow="#ffc42e",
)

SAFE = Palette(
    # After the colours of Okabe and Ito, lightened until they can be read on this ground.
    background="#10131a",
    bar="#191f2a",
    selected="#1d2838",
    text="#dde2ea",
    strong="#ffffff",
    muted="#98a1b1",
    rule="#3f4959",
    registration="#4bbcfa",
    readiness="#efacb8",
    write="#00a887",
    completion="#f0e442",
    stalled="#ff6a2b",
    slow="#f2ab1c",
)

SIXTEEN = Palette(
    # The very values that a terminal of 16 colours maps to the colours the design names.
    background="#000000",
    bar="#000000",
    selected="#000000",
    text="#aaaaaa",
    strong="#ffffff",
    muted="#555555",
    rule="#555555",
    registration="#5555ff",
    readiness="#ff55ff",
    write="#00aaaa",
    completion="#ffffff",
    stalled="#aa0000",
    slow="#aa5500",
)

_WITHOUT_COLOUR = {
    "text": "",
    "strong": "bold",
    "muted": "dim",
    "rule": "dim",
    "stalled": "bold",
    "slow": "bold",
}


class Look(msgspec.Struct, frozen=True):
    """What a drawing needs to know of the terminal and the theme."""

    palette: Palette = DARK
    glyphs: Glyphs = UTF8
    colour: bool = True

    def style(self, role: str, *, bold: bool = False) -> str:
        """The style of a role of the palette: its colour, or its weight where there is none."""
        if not self.colour:
            return "bold" if bold else _WITHOUT_COLOUR.get(role, "")
        heavy = bold or role in ("strong", "stalled")
        return f"bold {getattr(self.palette, role)}" if heavy else str(getattr(self.palette, role))

    def block(self, role: str) -> str:
        """The style of text on a ground of that role's colour."""
        if not self.colour:
            return "bold reverse"
        return f"bold {self.palette.background} on {getattr(self.palette, role)}"

    @property
    def selection(self) -> str:
        """The style laid over a selected row."""
        if not self.colour:
            return "not dim reverse"
        if self.palette.selected == self.palette.background:
            # Reversing each colour by itself would make a row of patches.
            return f"{self.palette.background} on {self.palette.text}"
        return f"on {self.palette.selected}"

    @property
    def ground(self) -> str:
        """The style laid under header and footer."""
        return f"on {self.palette.bar}" if self.colour else ""

    def chip(self, phase: Phase) -> Text:
        """The phase's letter on its colour, three cells wide; in brackets without colour."""
        if self.colour:
            return piece(f" {phase.letter} ", self.block(phase.value))
        return piece(f"[{phase.letter}]", "bold")

    def badge(self, words: str, role: str) -> Text:
        """Words that must be seen first, on the role's colour."""
        return piece(f" {words} ", self.block(role))

    def texture(self, phase: Phase) -> str:
        """The sign that fills the phase's bar where there is no colour."""
        return self.glyphs.textures[tuple(Phase).index(phase)]

    def words(self, text: str) -> str:
        """The text, in ASCII where the terminal has no more."""
        return text if self.glyphs is UTF8 else plain(text)
