"""`n` where nothing is wrong."""

import pytest

from kvtrace.snapshot import Snapshot
from kvtrace.tui.app import NOTICE
from kvtrace.tui.frame import NOTHING
from tests.tui import samples
from tests.tui.conftest import Start
from tests.tui.test_app import screen, settled


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_where_no_trouble_is_seen_n_says_so(start: Start, size: tuple[int, int]) -> None:
    app = start(samples.snapshot([]))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        for tab, said in (
            ("1", "no transfer here is stalled or failed"),
            ("2", "no cause is true now"),
            ("3", "no link is slow or holds stalled transfers"),
            ("4", "no engine is waited for or unwell"),
            ("5", "no event here tells of a failure"),
        ):
            for key in ("n", "N"):
                await pilot.press(tab, key)
                await pilot.pause()
                assert screen(app).splitlines()[-1].strip() == said


@pytest.mark.parametrize("known", [samples.snapshot([]), NOTHING])
async def test_where_nothing_is_listed_a_key_says_why_it_does_nothing(
    start: Start, known: Snapshot
) -> None:
    app = start(known)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        for tab, keys, said in (
            ("1", ("enter", "y"), "no transfer is listed"),
            ("2", ("enter", "i", "y", "Y"), "no cause is listed"),
            ("3", ("enter",), "no link is known"),
            ("4", ("enter", "y"), "no engine is heard yet"),
            ("5", ("enter", "y"), "no event is listed"),
        ):
            for key in keys:
                app.notice("")
                await pilot.press(tab, key)
                await pilot.pause()
                assert screen(app).splitlines()[-1].strip().startswith(said), (tab, key)


async def test_where_there_is_trouble_n_goes_there_and_says_nothing(start: Start) -> None:
    app = start()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("n")
        await pilot.pause()
        assert "stalled or failed" not in screen(app)


async def test_a_notice_stands_its_time_whatever_was_said_before(start: Start) -> None:
    app = start()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        app.notice("first")
        await pilot.pause(NOTICE * 0.8)
        app.notice("second")
        await pilot.pause(NOTICE * 0.5)
        assert "second" in screen(app)


async def test_what_others_say_stands_its_time_one_after_the_other(start: Start) -> None:
    app = start()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        app.asides.extend(["logs cannot be passed on", "logs are passed on again"])
        app._tick()
        app._tick()
        await pilot.pause()
        assert "logs cannot be passed on" in screen(app)
        app._fade()
        app._tick()
        await pilot.pause()
        assert "logs are passed on again" in screen(app)
