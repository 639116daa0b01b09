"""Pictures and texts of what is on screen, in files that were not there before."""

from datetime import UTC
from pathlib import Path

import pytest
from textual.pilot import Pilot

from kvtrace.tui import export
from kvtrace.tui.app import KvtraceApp
from tests.tui import samples
from tests.tui.conftest import Start
from tests.tui.test_app import screen, settled
from tests.unit.replays import BUSY, player


def test_a_name_says_what_and_when() -> None:
    assert export.stem(["Fleet"], "14:02:37") == "kvtrace-fleet-140237"
    named = export.stem(["Fleet", "chatcmpl-71cf/../\x1b[2J\u202e" + "x" * 500], "14:02:37")
    assert named.startswith("kvtrace-chatcmpl-71cf-2j-x")
    assert named.endswith("-140237")
    assert len(named) < 60
    assert named.isascii()


def test_nothing_that_is_there_is_overwritten(tmp_path: Path) -> None:
    said = [export.write("<svg/>", str(turn), "now", [tmp_path]) for turn in range(3)]
    assert said[1] == f"written: {tmp_path / 'now-2.svg'} and now-2.txt"
    assert [(tmp_path / f"now{n}.txt").read_text() for n in ("", "-2", "-3")] == ["0", "1", "2"]


def test_a_picture_and_its_text_have_the_same_name(tmp_path: Path) -> None:
    (tmp_path / "now.txt").write_text("mine")
    export.write("<svg/>", "text", "now", [tmp_path])
    assert (tmp_path / "now.txt").read_text() == "mine"
    assert not (tmp_path / "now.svg").exists()
    assert (tmp_path / "now-2.svg").exists()


def test_where_one_place_takes_nothing_the_next_is_asked(tmp_path: Path) -> None:
    gone = Path("/dev/null/nowhere")
    said = export.write("<svg/>", "text", "now", [gone, tmp_path / "made" / "here"])
    assert said.startswith(f"written: {tmp_path / 'made' / 'here' / 'now.svg'}")


def test_a_place_that_takes_nothing_is_one_sentence() -> None:
    said = export.write("<svg/>", "text", "now", [Path("/proc")])
    assert said.startswith("nothing written: ")
    assert said.endswith(" in /proc; start kvtrace where there is room and you may write")


def test_places_follow_the_environment() -> None:
    assert export.places({"XDG_STATE_HOME": "/state"}) == [Path(), Path("/state/kvtrace")]
    assert export.places({"XDG_STATE_HOME": "state"})[1] == Path("~/.local/state/kvtrace")
    assert export.places({})[1] == Path("~/.local/state/kvtrace")


async def exported(pilot: Pilot[None], where: Path) -> list[str]:
    """Press x on every screen, a transfer's and the help's too; the texts that were written."""
    app = pilot.app
    assert isinstance(app, KvtraceApp)
    for keys in ("1", "2", "3", "4", "5", ("1", "enter"), "question_mark"):
        await pilot.press(*keys) if isinstance(keys, tuple) else await pilot.press(keys)
        await pilot.pause()
        await pilot.press("x")
        await pilot.pause()
        assert " written: " in screen(app)
    assert len(list(where.glob("*.svg"))) == len(list(where.glob("*.txt"))) == 7
    return [path.read_text() for path in where.glob("*.txt")]


async def test_x_writes_every_screen_of_live(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with start().run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert all("kvtrace" in text for text in await exported(pilot, tmp_path))


async def test_x_writes_every_screen_of_a_replay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made, playback = player(BUSY, clock=samples.BOOT)
    app = KvtraceApp(made.snapshots(), source="a.kvtrace", playback=playback, zone=UTC, environ={})
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("percent_sign", *"99%", "enter")
        await pilot.pause(0.5)
        assert all("00:05:10" in text for text in await exported(pilot, tmp_path))


async def test_export_by_its_name_also_works_while_one_types_where_to_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made, playback = player(BUSY, clock=samples.BOOT)
    app = KvtraceApp(made.snapshots(), source="a.kvtrace", playback=playback, zone=UTC, environ={})
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("percent_sign")
        await pilot.pause()
        app.action_export()
        assert "1 Fleet" in next(tmp_path.glob("*.txt")).read_text()
