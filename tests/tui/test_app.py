"""How the app behaves, driven by keys and clicks as a person would."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot

from kvtrace.errors import RecordingError
from kvtrace.monitor import watch
from kvtrace.playback import Playback
from kvtrace.snapshot import Snapshot
from kvtrace.tui.app import KvtraceApp
from kvtrace.tui.export import as_text
from kvtrace.tui.frame import Mode
from kvtrace.tui.table import TransfersTable
from tests.tui import samples
from tests.tui.conftest import Hold, Start, incident

SECOND = samples.S


async def settled(pilot: Pilot[None], *, mode: Mode | None = None) -> None:
    """Wait until the app has drawn what its thread has posted."""
    app = pilot.app
    assert isinstance(app, KvtraceApp)
    for _ in range(200):
        await pilot.pause(0.02)
        frame = app.frame
        if frame and (frame.status.mode is mode if mode else frame.snapshot.at):
            break
    await pilot.pause()


def screen(app: KvtraceApp) -> str:
    return as_text(app.screen)


def selected(app: KvtraceApp) -> str:
    table = app.screen.query_one(TransfersTable)
    assert table.item is not None
    return table.item.key


async def test_the_first_line_is_the_answer(start: Start) -> None:
    app = start()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert screen(app).splitlines()[1].startswith("  7 stalled  of 19 in flight, the oldest")


async def test_the_cursor_starts_on_the_worst_and_stays_on_its_transfer(hold: Hold) -> None:
    scripts = samples.incident()
    later = samples.snapshot(scripts[1:], samples.START + 2 * SECOND)
    gate = threading.Event()

    def snapshots() -> Iterator[Snapshot]:
        yield incident()
        gate.wait(60)
        yield from hold(later)

    app = KvtraceApp(snapshots(), source="test", environ={})
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        assert selected(app) == incident().rows[0].transfer.id
        await pilot.press("j", "down")
        chosen = selected(app)
        assert chosen == samples.BROKEN
        gate.set()
        while app.frame is None or app.frame.snapshot is not later:
            await pilot.pause(0.02)
        assert selected(app) == chosen
        lines = screen(app).splitlines()
        head = next(y for y, line in enumerate(lines) if "waited" in line)
        assert lines[head + 2].startswith("▌!   2m 15s W")


async def test_enter_opens_a_transfer_and_escape_goes_back_to_it(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("j", "j", "enter")
        await pilot.pause()
        assert f"Fleet › {samples.BROKEN}" in screen(app)
        assert "never came: write posted" in screen(app)
        await pilot.press("escape")
        await pilot.pause()
        assert selected(app) == samples.BROKEN


async def test_a_click_selects_and_a_second_one_opens(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.click(TransfersTable, offset=(20, 3))
        assert selected(app) == samples.BROKEN
        await pilot.click(TransfersTable, offset=(20, 3))
        await pilot.pause()
        assert samples.BROKEN in screen(app)


async def test_arrows_walk_the_events_of_a_transfer(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("j", "j", "enter")
        await pilot.pause()
        assert "handshake failed  10.0.3.7:5601" in screen(app)
        await pilot.press("left")
        await pilot.pause()
        assert "event 26 of 27" in screen(app)
        await pilot.press("g")
        await pilot.pause()
        assert "event 1 of 27" in screen(app)


async def test_an_opened_transfer_that_is_forgotten_says_so(hold: Hold) -> None:
    gate = threading.Event()
    empty = samples.snapshot([], samples.START + SECOND)

    def snapshots() -> Iterator[Snapshot]:
        yield incident()
        gate.wait(60)
        yield from hold(empty)

    app = KvtraceApp(snapshots(), source="test", environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("enter")
        await pilot.pause()
        gate.set()
        while app.frame is None or app.frame.snapshot is not empty:
            await pilot.pause(0.02)
        await pilot.pause()
        assert "No longer held by kvtrace." in screen(app)


async def test_n_goes_to_the_next_trouble_and_around(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        visited = []
        for _ in range(7):
            await pilot.press("n")
            visited.append(selected(app))
        assert set(visited) == {row.transfer.id for row in incident().rows if row.stalled}
        assert visited[-1] == incident().rows[0].transfer.id


async def test_s_sorts_by_the_next_column(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("s")
        await pilot.pause()
        assert "phase ▾" in screen(app)
        phases = [line[12] for line in screen(app).splitlines()[12:26]]
        assert phases == sorted(phases, key="RBWC".index)


async def test_space_holds_the_picture_and_says_how_far_behind_it_is(hold: Hold) -> None:
    gate = threading.Event()
    later = samples.snapshot(samples.incident(), samples.START + 12 * SECOND)

    def snapshots() -> Iterator[Snapshot]:
        yield incident()
        gate.wait(60)
        yield from hold(later)

    app = KvtraceApp(snapshots(), source="test", environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("space")
        gate.set()
        for _ in range(100):
            await pilot.pause(0.02)
            if "paused, 12.0 s and" in screen(app):
                break
        assert "paused, 12.0 s and" in screen(app)
        assert app.frame is not None
        assert app.frame.snapshot is incident()
        await pilot.press("space")
        await pilot.pause()
        assert app.frame.snapshot is later


async def test_a_replay_pauses_its_playback_and_changes_its_speed(hold: Hold) -> None:
    playback = Playback(samples.START, length=100 * SECOND, now=lambda: 0)
    app = KvtraceApp(hold(incident()), source="a.kvtrace", playback=playback, environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert "► replay  " in screen(app)
        assert "\n ► 1x " in screen(app)
        assert "space pause  % go to  , . step  < > 5 s  [ ] speed" in screen(app)
        await pilot.press("]")
        assert playback.speed == 2.0
        await pilot.press("[", "[")
        assert playback.speed == 0.5
        await pilot.press("space")
        assert playback.paused
        await pilot.pause()
        assert "‖ paused  " in screen(app)
        assert "\n ‖ 0.5x " in screen(app)


async def test_a_source_that_dies_is_news_on_screen() -> None:
    def snapshots() -> Iterator[Snapshot]:
        yield incident()
        raise RecordingError("a.kvtrace: cannot be read further; copy it anew")

    app = KvtraceApp(snapshots(), source="a.kvtrace", environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot, mode=Mode.LOST)
        assert "source lost" in screen(app)
        assert "a.kvtrace: cannot be read further; copy it anew" in screen(app)


async def test_a_recording_that_is_over_stays_on_screen() -> None:
    playback = Playback(samples.START)
    app = KvtraceApp(iter([incident()]), source="a.kvtrace", playback=playback, environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot, mode=Mode.OVER)
        assert "The recording is over." in screen(app)
        assert "7 stalled" in screen(app)


async def test_quitting_closes_the_iterator_and_leaves_no_thread() -> None:
    closed = threading.Event()

    def snapshots() -> Iterator[Snapshot]:
        try:
            while True:
                yield incident()
        finally:
            closed.set()

    app = KvtraceApp(snapshots(), source="test", environ={})
    async with app.run_test() as pilot:
        await settled(pilot)
        await pilot.press("q")
    assert closed.is_set()
    assert not [t for t in threading.enumerate() if t.name == "kvtrace-feed" and t.is_alive()]


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
async def test_quitting_does_not_wait_for_an_iterator_that_blocks(start: Start, key: str) -> None:
    app = start()
    async with app.run_test() as pilot:
        await settled(pilot)
        await pilot.press(key)
    assert not app.is_running


async def test_quitting_a_paused_replay_ends_it() -> None:
    playback = Playback(samples.START - SECOND)
    moments = playback.play(samples.moments(samples.past(), samples.START))
    app = KvtraceApp(watch(moments), source="a.kvtrace", playback=playback, environ={})
    async with app.run_test() as pilot:
        await pilot.press("space")
        assert playback.paused
        await pilot.press("q")
    assert not [t for t in threading.enumerate() if t.name == "kvtrace-feed" and t.is_alive()]


async def test_help_lists_every_key(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("?")
        await pilot.pause()
        for said in ("next trouble", "all events", "reverse sort", "faster", "copy id"):
            assert said in screen(app)
        await pilot.press("?")
        await pilot.pause()
        assert "7 stalled" in screen(app)


async def test_x_writes_what_is_on_screen(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("x")
        await pilot.pause()
        assert "7 stalled" in (tmp_path / "kvtrace-fleet-140237.txt").read_text()
        assert (tmp_path / "kvtrace-fleet-140237.svg").read_text().startswith("<svg")
        assert f"written: {tmp_path / 'kvtrace-fleet-140237.svg'}" in screen(app)


async def test_y_copies_the_id_under_the_cursor(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("j", "j", "y")
        await pilot.pause()
        assert app.clipboard == samples.BROKEN
        assert f"copied {samples.BROKEN}" in screen(app)


async def test_an_id_from_outside_cannot_move_the_cursor(start: Start) -> None:
    evil = samples.Script(name="a\x1b[2J\x07b\u202ec", ready=samples.NEVER)
    app = start(samples.snapshot([evil], samples.START + SECOND))
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.press("enter")
        await pilot.pause()
        assert "\x1b" not in screen(app)
        assert "a�[2J�b�c" in screen(app)


async def test_t_goes_through_the_themes_and_back_to_the_first(start: Start) -> None:
    app = start()
    async with app.run_test() as pilot:
        await settled(pilot)
        await pilot.press("t")
        assert app.frame is not None
        assert app.frame.look.palette.background == "#fcfcfa"
        assert "theme light" in screen(app)
        await pilot.press("t")
        assert app.frame.look.selection == "#000000 on #ffffff"
        await pilot.press("t", "t")
        assert app.frame.look.palette.background == "#0f1319"


async def test_an_app_that_was_left_before_it_ran_ends_at_once(start: Start) -> None:
    app = start()
    app.left.set()
    async with app.run_test() as pilot:
        await pilot.pause(0.3)
        assert not app.is_running


async def test_where_nothing_can_be_written_x_says_so(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
    gone.rmdir()
    app = start()
    async with app.run_test(size=(140, 40)) as pilot:
        await settled(pilot)
        await pilot.press("x")
        await pilot.pause()
        assert "nothing written: No such file or directory in the working dir" in screen(app)
