"""A screen that has nothing to show says what is read, and what to do."""

import pytest

from kvtrace.tui.app import KvtraceApp
from kvtrace.tui.empty import START
from tests.tui import samples
from tests.tui.conftest import Hold, Start
from tests.tui.test_app import screen, settled

SIZES = [(80, 24), (120, 40), (200, 60)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("key", ["1", "2", "4", "5"])
async def test_before_anything_is_heard_each_screen_says_what_to_do(
    hold: Hold, key: str, size: tuple[int, int]
) -> None:
    app = KvtraceApp(hold(), source="/dev/shm/kvtrace-1000", environ={})
    async with app.run_test(size=size) as pilot:
        await pilot.press(key)
        await pilot.pause(0.15)
        text = screen(app)
        assert " heard yet." in text
        assert "Reading /dev/shm/kvtrace-1000." in text
        assert START in text


async def test_without_a_link_its_screen_says_when_one_shows_up(hold: Hold) -> None:
    app = KvtraceApp(hold(), source="boxes", environ={})
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("3")
        await pilot.pause(0.15)
        assert "A link shows up here with the first transfer" in screen(app)


async def test_without_a_cause_its_screen_says_when_one_shows_up(start: Start) -> None:
    app = start(samples.snapshot(samples.past()))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("2")
        await pilot.pause(0.15)
        assert "Nothing is wrong that kvtrace knows of." in screen(app)
        assert "A cause shows up here once a transfer waits too long" in " ".join(
            screen(app).split()
        )


@pytest.mark.parametrize("key", ["1", "2", "3", "4", "5"])
async def test_in_hardly_any_room_what_is_cut_says_so(hold: Hold, key: str) -> None:
    app = KvtraceApp(hold(), source="boxes", environ={})
    async with app.run_test(size=(20, 5)) as pilot:
        await pilot.press(key)
        await pilot.pause(0.15)
        lines = screen(app).splitlines()
        assert all(len(line) < 20 or line.rstrip().endswith("…") for line in lines[:1])
