"""The themes by name, and what Textual's own parts take from them."""

from textual.theme import Theme

from kvtrace.tui.look import CONTRAST, DARK, LIGHT, SAFE, Palette

PALETTES: dict[str, Palette] = {
    "dark": DARK,
    "light": LIGHT,
    "contrast": CONTRAST,
    "safe": SAFE,
}
"""In the order in which one key turns them."""

_OURS = "kvtrace-"


def themes() -> list[Theme]:
    """All of them, as Textual wants them."""
    return [_theme(name, palette) for name, palette in PALETTES.items()]


def textual_name(name: str) -> str:
    """What Textual calls it."""
    return _OURS + name


def name_of(theme: str) -> str:
    """What we call it; the first where it is none of ours."""
    name = theme.removeprefix(_OURS)
    return name if name in PALETTES else next(iter(PALETTES))


def after(theme: str) -> str:
    """The next, as Textual calls it."""
    names = list(PALETTES)
    return textual_name(names[(names.index(name_of(theme)) + 1) % len(names)])


def _theme(name: str, palette: Palette) -> Theme:
    return Theme(
        textual_name(name),
        primary=palette.registration,
        secondary=palette.write,
        accent=palette.registration,
        warning=palette.slow,
        error=palette.stalled,
        background=palette.background,
        surface=palette.bar,
        panel=palette.selected,
        foreground=palette.text,
        dark=palette is not LIGHT,
    )
