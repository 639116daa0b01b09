"""Whatever is written on any screen, in any theme, can be read: measured on the cells."""

import pytest
from textual.app import App
from textual.command import CommandList

from kvtrace.tui.preferences import Preferences
from kvtrace.tui.themes import PALETTES
from tests.tui.conftest import Start
from tests.tui.test_app import settled
from tests.tui.test_themes import contrast

LINES = set("─━│╰╭╮╯┼╌·╱▁▂▃▄▅▆▇█░▒▓▔▌▐")
"""Signs that are drawn, not read: rules, bars, folds, sparklines."""

KEYS = {
    "fleet": (),
    "fleet, phases": ("k",),
    "filter": ("slash", "p", "h"),
    "filter, wrong": ("slash", "a", "g", "e", "colon", "x"),
    "palette": ("colon",),
    "transfer": ("j", "j", "enter"),
    "transfer, events": ("j", "j", "enter", "e", "left"),
    "causes": ("2",),
    "explain": ("2", "i"),
    "links": ("3",),
    "links, ranks": ("3", "n", "z"),
    "engines": ("4", "j"),
    "events": ("5", "k"),
    "help": ("question_mark",),
}


def poor(app: App[None], least: float) -> set[tuple[str, str, str]]:
    """What is written with less contrast, with its colours."""
    found = set()
    strips = app.screen._compositor.render_strips()
    for palette in app.screen.query(CommandList):
        # What it lies over is dimmed on purpose.
        strips = strips[palette.region.y : palette.region.bottom]
    for strip in strips:
        for text, style, _ in strip:
            if not set(text.replace(" ", "")) - LINES:
                continue
            assert style is not None
            assert style.color is not None
            assert style.bgcolor is not None
            front = style.color.get_truecolor().hex
            ground = style.bgcolor.get_truecolor().hex
            if contrast(front, ground) < least:
                found.add((text.strip(), front, ground))
    return found


@pytest.mark.parametrize("theme", PALETTES)
async def test_what_is_written_can_be_read(start: Start, theme: str) -> None:
    app = start()
    app.prefer(Preferences(theme=theme))
    least = 7 if theme == "contrast" else 4.5
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        for screen, keys in KEYS.items():
            await pilot.press("escape", "escape", "1", "g", *keys)
            await pilot.pause(0.05)
            assert not poor(app, least), screen
        await pilot.resize_terminal(200, 60)
        await pilot.press("escape", "escape", "1", "g", "j")
        await pilot.pause(0.05)
        assert not poor(app, least)
