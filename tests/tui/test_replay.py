"""A replay, driven by keys and clicks as a person would."""

from collections.abc import Iterator
from datetime import UTC

import pytest
from textual.pilot import Pilot

from kvtrace.playback import Playback
from kvtrace.tui.app import KvtraceApp
from kvtrace.tui.going import HINT
from kvtrace.tui.scrubbing import Scrubber
from tests.tui import samples
from tests.tui.test_app import screen
from tests.unit.replays import BUSY, Clock, length, player

SECOND = samples.S


@pytest.fixture
def replay() -> Iterator[tuple[KvtraceApp, Playback]]:
    """A recording of five minutes, paused at its beginning."""
    made, playback = player(BUSY, clock=samples.BOOT)
    playback.pause()
    yield (
        KvtraceApp(made.snapshots(), source="a.kvtrace", playback=playback, zone=UTC, environ={}),
        playback,
    )
    playback.stop()


async def until(pilot: Pilot[None], said: str) -> None:
    """Wait until the screen says this."""
    app = pilot.app
    assert isinstance(app, KvtraceApp)
    for _ in range(250):
        if said in screen(app):
            return
        await pilot.pause(0.02)
    raise AssertionError(f"never said: {said}\n{screen(app)}")


async def test_a_replay_has_a_bar_on_every_screen(replay: tuple[KvtraceApp, Playback]) -> None:
    app, _ = replay
    async with app.run_test(size=(120, 40)) as pilot:
        for tab in "1234":
            await pilot.press(tab)
            await until(pilot, "ev/s")
            assert "00:05:10" in screen(app)


@pytest.mark.parametrize(
    "keys", [[], ["2"], ["3"], ["4"], ["5"], ["question_mark"], ["end", "enter"]]
)
async def test_a_blank_row_stands_between_the_bar_and_the_losses(
    replay: tuple[KvtraceApp, Playback], keys: list[str]
) -> None:
    app, _ = replay
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("percent_sign", "5", "0", "percent_sign", "enter")
        await until(pilot, "50%")
        await pilot.press(*keys)
        await pilot.pause()
        *_, bar, blank, losses, _ = screen(app).splitlines()
        assert (blank, "50%" in bar) == ("", True)
        assert "lag" in losses


async def test_one_goes_to_a_share_a_time_and_back(replay: tuple[KvtraceApp, Playback]) -> None:
    app, playback = replay
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, "ev/s")
        await pilot.press("percent_sign", *"100%", "enter")
        await until(pilot, "7 stalled")
        assert playback.position == length(BUSY)
        await pilot.press("less_than_sign")
        await until(pilot, "00:05:05.000")
        await pilot.press("percent_sign", *"00:04", "enter")
        await until(pilot, "00:04:00.000")
        await pilot.press("percent_sign", *"+30s", "enter")
        await until(pilot, "00:04:30.000")


def seen(app: KvtraceApp) -> list[str]:
    """What the terminal shows, with what is seen through from beneath."""
    strips = app.screen._compositor.render_strips()
    return [strip.text.rstrip() for strip in strips]


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_one_sees_the_screen_and_the_bar_while_one_types_where_to_go(
    replay: tuple[KvtraceApp, Playback], size: tuple[int, int]
) -> None:
    app, _ = replay
    async with app.run_test(size=size) as pilot:
        await until(pilot, "ev/s")
        before = seen(app)
        await pilot.press("percent_sign")
        await pilot.pause()
        *above, line = seen(app)
        assert above == before[:-1]
        assert line.strip() == f"go to: {HINT}"


async def test_one_steps_event_by_event(replay: tuple[KvtraceApp, Playback]) -> None:
    app, playback = replay
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, "ev/s")
        await pilot.press("percent_sign", *"50%", "enter")
        await until(pilot, "50%")
        before = playback.position
        await pilot.press("full_stop")
        while playback.position == before:
            await pilot.pause(0.02)
        after = playback.position
        assert after > before
        await pilot.press("comma")
        while playback.position == after:
            await pilot.pause(0.02)
        assert playback.position <= before


async def test_a_click_on_the_bar_goes_there(replay: tuple[KvtraceApp, Playback]) -> None:
    app, playback = replay
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, "ev/s")
        await pilot.click(Scrubber, offset=(12 + 48, 1))
        await until(pilot, " 50%")
        assert playback.position == pytest.approx(length(BUSY) / 2, rel=0.02)


async def test_what_is_not_there_is_said_and_escape_stays(
    replay: tuple[KvtraceApp, Playback],
) -> None:
    app, playback = replay
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, "ev/s")
        await pilot.press("percent_sign", *"9h", "enter")
        await until(pilot, "the recording is only 5m 10s long")
        await pilot.press("percent_sign", *"50%", "escape")
        await pilot.pause()
        assert playback.position == 0


async def test_the_end_is_said_and_one_can_go_back(replay: tuple[KvtraceApp, Playback]) -> None:
    app, playback = replay
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, "ev/s")
        await pilot.press("percent_sign", *"100%", "enter")
        await pilot.press("space")
        await until(pilot, "replay over")
        await pilot.press("less_than_sign")
        await until(pilot, "► 1x")
        assert not playback.over


async def test_after_the_end_every_screen_stands_still() -> None:
    clock = Clock()
    made, playback = player(BUSY, clock=samples.BOOT, now=clock)
    app = KvtraceApp(made.snapshots(), source="a.kvtrace", playback=playback, zone=UTC, environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        clock.now = 400 * SECOND
        await until(pilot, "replay over")
        shown = []
        for _ in range(2):
            for tab in "1234":
                await pilot.press(tab)
                await pilot.pause(0.2)
                assert "00:05:10.000  100%" in screen(app)
                shown.append(screen(app))
            clock.now += 60 * SECOND
            await pilot.press("right_square_bracket", "left_square_bracket", "space", "space")
            await pilot.pause(0.3)
        assert shown[:4] == shown[4:]


async def test_live_has_no_keys_of_a_replay() -> None:
    app = KvtraceApp(iter([samples.snapshot([])]), source="test", environ={})
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("percent_sign", "full_stop", "less_than_sign", "right_square_bracket")
        await pilot.pause()
        assert "go to" not in screen(app)
