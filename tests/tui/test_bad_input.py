"""Whatever comes from outside, every screen draws it, fits, and sends no escape to the terminal."""

import msgspec
import pytest

from kvtrace.snapshot import Snapshot
from kvtrace.tui.clipboard import Copied
from kvtrace.tui.transfer import TransferScreen
from tests.tui import samples
from tests.tui.conftest import Start, incident
from tests.tui.test_app import screen
from tests.tui.test_screens import press

SCREENS = ["1", "2", "3", "4", "5", "enter", "question_mark"]

IDS = {
    "long": "x" * 500,
    "escapes": "cmpl-\x1b]52;c;aGk=\x07\x1b[2J\x1b[31m",
    "control": "a\r\nb\tc\x00d\x9b",
    "wide": "請求" * 40,
    "right to left": "\u202eabc\u2066",
}


def stuck(name: str, producer: str = "P0") -> Snapshot:
    script = samples.Script(name=name, producer=producer, began=samples.START - 60 * samples.S)
    return samples.snapshot([msgspec.structs.replace(script, ended=samples.NEVER)])


@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
@pytest.mark.parametrize("name", IDS.values(), ids=IDS.keys())
async def test_an_id_from_outside_is_drawn_and_never_obeyed(
    start: Start, name: str, size: tuple[int, int]
) -> None:
    app = start(stuck(name, producer=name))
    async with app.run_test(size=size) as pilot:
        for key in SCREENS:
            await press(pilot, key)
            lines = screen(app).splitlines()
            assert len(lines) == size[1]
            assert all(line.isprintable() for line in lines)


async def test_a_copied_id_loses_its_escapes(start: Start) -> None:
    heard: list[object] = []
    app = start(stuck(IDS["escapes"]))
    async with app.run_test(size=(120, 40), message_hook=heard.append) as pilot:
        await press(pilot, "y")
        assert any(isinstance(one, Copied) for one in heard)
        assert app.clipboard
        assert app.clipboard.isprintable()


async def test_a_hundred_thousand_transfers_are_one_screen(start: Start) -> None:
    known = incident()
    row = known.rows[0]
    many = tuple(
        msgspec.structs.replace(
            row, id=f"r{n}", transfer=msgspec.structs.replace(row.transfer, id=f"r{n}")
        )
        for n in range(100_000)
    )
    app = start(msgspec.structs.replace(known, rows=many))
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "G")
        assert "r99999" in screen(app)
        await press(pilot, "3")
        assert "more" in screen(app)


@pytest.mark.parametrize("at", [0, -(10**18), 10**18])
@pytest.mark.parametrize("key", SCREENS)
async def test_a_clock_that_jumps_breaks_no_screen(start: Start, at: int, key: str) -> None:
    known = incident()
    jumped = msgspec.structs.replace(known, at=known.at + at, wall=max(known.wall + at, 1))
    app = start(known, jumped)
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, key)
        assert "kvtrace" in screen(app)


async def test_an_engine_that_is_back_under_its_id_says_so(start: Start) -> None:
    known = incident()
    first, *rest = known.engines
    back = msgspec.structs.replace(first, state="restarted")
    app = start(msgspec.structs.replace(known, engines=(back, *rest)))
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot)
        assert "restarted" in screen(app)
        await press(pilot, "4")
        assert "restarted" in screen(app)


async def test_o_asks_for_the_trace_and_says_what_is_not_set(start: Start) -> None:
    heard: list[object] = []
    app = start()
    async with app.run_test(size=(120, 40), message_hook=heard.append) as pilot:
        await press(pilot, "enter", "o")
        assert any(isinstance(one, TransferScreen.Browsed) for one in heard)
        assert "trace_url" in screen(app).splitlines()[-1]


async def test_r_turns_how_times_are_told(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        said = []
        for _ in range(3):
            await press(pilot, "r")
            said.append(screen(app).splitlines()[-1])
        assert len(set(said)) == 3


async def test_the_palette_does_what_it_offers(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "colon", *"engines")
        await pilot.pause(0.3)
        await press(pilot, "down", "enter")
        await pilot.pause(0.3)
        assert "ENGINE  state" in screen(app)
