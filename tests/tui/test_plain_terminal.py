"""On a plain terminal each screen draws ASCII alone, and says without colour what it says with."""

import pytest

from kvtrace.cli.view import Form, form
from kvtrace.tui.app import KvtraceApp
from tests.tui import samples
from tests.tui.conftest import Hold, Start, incident
from tests.tui.test_app import screen, settled

SIZES = [(80, 24), (120, 40), (20, 5)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "keys",
    [[], ["2"], ["2", "i"], ["3"], ["4"], ["5"], ["enter"], ["question_mark"]],
    ids=["fleet", "causes", "explain", "links", "engines", "events", "transfer", "help"],
)
async def test_without_utf8_only_ascii_is_drawn(
    start: Start, keys: list[str], size: tuple[int, int]
) -> None:
    app = start(language="C")
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        await pilot.press(*keys)
        await pilot.pause(0.15)
        text = screen(app)
        assert text.strip()
        assert [sign for sign in text if not sign.isascii()] == []


SCREENS: dict[str, tuple[list[str], str]] = {
    "fleet": ([], "! 3"),
    "causes": (["2"], " 7 in trouble"),
    "explain": (["2", "i"], "What it means"),
    "links": (["3"], "! 3 stalled"),
    "ranks": (["3", "n", "z"], "rank by rank"),
    "engines": (["4"], "P0!"),
    "events": (["5"], "following"),
    "transfer": (["j", "j", "enter"], "never came: write posted"),
    "transfer events": (["j", "j", "enter", "e"], "handshake failed"),
    "transfer with shares": (["enter"], " TIME   "),
}
"""Keys that lead to each, and what must be seen there without colour."""


def test_a_dumb_terminal_gets_lines_and_no_screen() -> None:
    assert form(False, False, terminal=True, environ={"TERM": "dumb"}) is Form.PLAIN


@pytest.mark.parametrize("name", list(SCREENS))
async def test_where_a_dumb_terminal_is_drawn_on_all_the_same_it_is_legible(
    hold: Hold, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    shown = incident()
    if name == "transfer with shares":
        shown = samples.snapshot([samples.Script(name="r1")], samples.START + 10 * samples.S)
    environ = {"TERM": "dumb", "LC_ALL": "C"}
    app = KvtraceApp(hold(shown), source="4 black boxes", environ=environ)
    keys, told = SCREENS[name]
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press(*keys)
        await pilot.pause(0.15)
        assert screen(app).isascii()
        assert told in screen(app)
