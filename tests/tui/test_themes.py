"""Colours that can be read, and told apart in any sight."""

from itertools import combinations

import pytest

from kvtrace.tui.look import Palette
from kvtrace.tui.themes import PALETTES, after, name_of, textual_name

PHASES = ("registration", "readiness", "write", "completion")
SAID = ("text", "strong", "muted", *PHASES, "stalled", "slow")
SIGHTS = {
    "normal": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
"""How much red, green and blue each sees, by the model of Machado and others."""

Triple = tuple[float, ...]


def linear(colour: str) -> Triple:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return tuple(p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)


def light(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def lab(colour: str, sight: str) -> Triple:
    """In OKLab, as that sight sees it."""
    known = linear(colour)
    r, g, b = (
        min(max(sum(m * c for m, c in zip(row, known, strict=True)), 0), 1) for row in SIGHTS[sight]
    )
    x = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b) ** (1 / 3)
    y = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b) ** (1 / 3)
    z = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b) ** (1 / 3)
    return (
        0.2104542553 * x + 0.7936177850 * y - 0.0040720468 * z,
        1.9779984951 * x - 2.4285922050 * y + 0.4505937099 * z,
        0.0259040371 * x + 0.7827717662 * y - 0.8086757660 * z,
    )


def apart(one: str, other: str, sight: str) -> float:
    pairs = zip(lab(one, sight), lab(other, sight), strict=True)
    return float(100 * sum((a - b) ** 2 for a, b in pairs) ** 0.5)


@pytest.mark.parametrize("name", PALETTES)
@pytest.mark.parametrize("ground", ["background", "selected"])
def test_what_is_said_can_be_read(name: str, ground: str) -> None:
    palette: Palette = PALETTES[name]
    under = getattr(palette, ground)
    poor = [role for role in SAID if contrast(getattr(palette, role), under) < 4.5]
    assert poor == []


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("name", PALETTES)
def test_phases_are_told_apart_in_any_sight(name: str, sight: str) -> None:
    palette = PALETTES[name]
    least = min(
        apart(getattr(palette, one), getattr(palette, other), sight)
        for one, other in combinations(PHASES, 2)
    )
    assert least >= (8 if name == "safe" else 5.5)


def test_one_key_turns_all_themes() -> None:
    seen, theme = [], textual_name("dark")
    for _ in PALETTES:
        seen.append(name_of(theme))
        theme = after(theme)
    assert seen == list(PALETTES)
    assert name_of(theme) == "dark"
    assert name_of("textual-dark") == "dark"
