"""What the screens look like: pictures that were looked at, and must not change unseen."""

import tomllib
from datetime import UTC
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot

from kvtrace.moments import Lost
from kvtrace.tui.app import KvtraceApp
from tests.tui import samples
from tests.tui.conftest import Hold, Start
from tests.tui.test_app import settled

PROJECT = Path(__file__).parents[2] / "pyproject.toml"
PINNED = next(
    wanted.removeprefix("textual==")
    for wanted in tomllib.loads(PROJECT.read_text())["dependency-groups"]["test"]
    if isinstance(wanted, str) and wanted.startswith("textual==")
)

pytestmark = pytest.mark.skipif(
    version("textual") != PINNED, reason=f"pictures are those of textual {PINNED}"
)


def calm() -> Any:
    return samples.snapshot(
        samples.past(), samples.START, Lost(process="P0/0", overwritten=4_096), Lost(unreadable=2)
    )


@pytest.mark.parametrize(
    ("size", "keys"),
    [
        pytest.param((120, 40), [], id="fleet"),
        pytest.param((80, 24), ["j", "j"], id="fleet-small"),
        pytest.param((200, 60), ["j", "j"], id="fleet-large"),
        pytest.param((20, 5), [], id="fleet-tiny"),
        pytest.param((120, 40), ["t"], id="fleet-light"),
        pytest.param((120, 40), ["j", "j", "enter"], id="transfer"),
        pytest.param((80, 24), ["j", "j", "enter"], id="transfer-small"),
        pytest.param((120, 30), ["j", "j", "enter", "e", "left"], id="transfer-events"),
        pytest.param((120, 40), ["2"], id="causes"),
        pytest.param((80, 24), ["2", "j"], id="causes-small"),
        pytest.param((200, 60), ["2", "t"], id="causes-light"),
        pytest.param((20, 5), ["2"], id="causes-tiny"),
        pytest.param((120, 40), ["3"], id="links"),
        pytest.param((80, 24), ["3"], id="links-small"),
        pytest.param((120, 40), ["3", "n", "z"], id="links-ranks"),
        pytest.param((120, 40), ["4"], id="engines"),
        pytest.param((80, 24), ["4", "j"], id="engines-small"),
        pytest.param((120, 40), ["5", "k"], id="events"),
        pytest.param((80, 24), ["5"], id="events-small"),
        pytest.param((200, 60), ["3", "s"], id="links-large"),
        pytest.param((120, 40), ["3", "t"], id="links-light"),
        pytest.param((200, 60), ["4", "j", "t"], id="engines-light"),
        pytest.param((200, 60), ["5", "t", "k", "k"], id="events-light"),
        pytest.param((20, 5), ["3"], id="links-tiny"),
        pytest.param((20, 5), ["4"], id="engines-tiny"),
        pytest.param((20, 5), ["5"], id="events-tiny"),
        pytest.param((120, 40), ["slash", "p", "h", "a", "colon", "x"], id="filter"),
        pytest.param((120, 40), ["question_mark"], id="help"),
    ],
)
def test_a_screen_looks_as_it_did(
    start: Start, snap_compare: Any, size: tuple[int, int], keys: list[str]
) -> None:
    async def press(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await pilot.press(*keys)
        await pilot.pause()

    assert snap_compare(start(), terminal_size=size, run_before=press)


def test_a_calm_fleet_looks_calm_and_owns_up_to_its_losses(start: Start, snap_compare: Any) -> None:
    assert snap_compare(start(calm()), terminal_size=(100, 30), run_before=settled)


@pytest.mark.parametrize(
    "keys",
    [["j", "j", "enter"], ["3"], ["4"], ["5"]],
    ids=["transfer", "links", "engines", "events"],
)
def test_without_colour_there_are_brackets_and_textures(
    start: Start, snap_compare: Any, monkeypatch: pytest.MonkeyPatch, keys: list[str]
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def press(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await pilot.press(*keys)
        await pilot.pause()

    assert snap_compare(start(), terminal_size=(100, 30), run_before=press)


def test_in_ascii_nothing_else_is_drawn(start: Start, snap_compare: Any) -> None:
    assert snap_compare(start(language="C"), terminal_size=(80, 24), run_before=settled)


def test_before_anything_is_heard_the_screen_says_what_to_do(hold: Hold, snap_compare: Any) -> None:
    app: App[None] = KvtraceApp(hold(), source="/dev/shm/kvtrace-1000", zone=UTC, environ={})
    assert snap_compare(app, terminal_size=(80, 24))
