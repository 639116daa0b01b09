"""The fleet screen's phases, which can be chosen, and its preview on large terminals."""

import pytest
from textual.pilot import Pilot

from kvtrace.tui.app import KvtraceApp
from kvtrace.tui.finder import Finder
from kvtrace.tui.frame import Frame
from kvtrace.tui.listing import Item
from kvtrace.tui.phase_strip import PhaseStrip
from kvtrace.tui.preview import preview, width
from kvtrace.tui.table import TransfersTable
from tests.tui import samples
from tests.tui.conftest import Start, incident
from tests.tui.test_app import screen, selected, settled
from tests.tui.test_screens import press


async def test_up_from_the_first_transfer_leads_to_the_phases_and_enter_shows_one_alone(
    start: Start,
) -> None:
    heard: list[object] = []
    app = start()
    async with app.run_test(size=(120, 40), message_hook=heard.append) as pilot:
        await press(pilot, "k", "k", "enter")
        chosen = [one for one in heard if isinstance(one, PhaseStrip.Chosen)]
        assert {one.phase.value for one in chosen} == {"write"}
        await pilot.pause(0.1)
        assert "FILTER  phase:write  2 of 19 shown" in screen(app)
        assert app.screen.query_one(TransfersTable).has_focus
        await press(pilot, "k", "k", "enter")
        await pilot.pause(0.1)
        assert "FILTER" not in screen(app)


@pytest.mark.parametrize("keys", [["k", "j"], ["k", "escape"], ["k", "k", "down", "down"]])
async def test_one_comes_back_from_the_phases_to_the_transfers(
    start: Start, keys: list[str]
) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, *keys)
        assert app.screen.query_one(TransfersTable).has_focus
        await press(pilot, "j")
        assert selected(app) == incident().rows[1].transfer.id


async def test_without_phases_on_screen_up_stays_in_the_table(start: Start) -> None:
    app = start()
    async with app.run_test(size=(80, 10)) as pilot:
        await press(pilot, "k", "k", "enter")
        assert "Fleet ›" in screen(app)


async def test_a_click_on_a_phase_shows_it_alone(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot)
        row = next(y for y, line in enumerate(screen(app).splitlines()) if "Readiness" in line)
        await pilot.click(offset=(6, row))
        await pilot.pause(0.1)
        assert app.screen.query_one(Finder).wanted.text == "phase:readiness"
        assert app.screen.query_one(TransfersTable).has_focus


async def test_a_large_terminal_previews_the_transfer_under_the_cursor(start: Start) -> None:
    app = start()
    async with app.run_test(size=(200, 60)) as pilot:
        await press(pilot, "j", "j")
        said = incident().diagnoses[samples.BROKEN]
        lines = [line.partition("│")[2] for line in screen(app).splitlines()]
        beside = "\n".join(lines)
        assert samples.BROKEN in beside
        assert said.label in beside
        assert " ".join(said.remedy.split()[:4]) in beside
        await press(pilot, "k")
        assert samples.BROKEN not in "\n".join(
            line.partition("│")[2] for line in screen(app).splitlines()
        )
        await pilot.resize_terminal(120, 40)
        await press(pilot)
        assert "SELECTED" not in screen(app)


@pytest.mark.parametrize(
    ("size", "expected"), [((149, 60), 0), ((200, 49), 0), ((150, 50), 60), ((300, 60), 80)]
)
def test_the_preview_takes_no_room_that_the_table_needs(
    size: tuple[int, int], expected: int
) -> None:
    assert width(Frame(width=size[0], height=size[1])) == expected


def test_the_preview_fits_whatever_is_under_the_cursor() -> None:
    frame = Frame(snapshot=incident(), width=160, height=50)
    items = [Item(key=row.transfer.id, row=row) for row in incident().rows]
    items += [Item(key=done.transfer.id, done=done) for done in incident().done[:20]]
    for item in items:
        lines = preview(item, frame, 30)
        assert len(lines) == 30
        assert all(line.cell_len <= width(frame) for line in lines)
    assert len(preview(None, frame, 30)) == 30


async def _shows(pilot: Pilot[None], app: KvtraceApp, said: str) -> bool:
    """Whether that comes on screen before long."""
    for _ in range(50):
        if said in screen(app):
            return True
        await pilot.pause(0.02)
    return False


async def test_the_cause_of_the_selected_transfer_is_told_below_where_there_is_room(
    start: Start,
) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert await _shows(pilot, app, " prefill never finishes: P0 began the prefill")
        assert " DO  Look where P0" in screen(app)
        await pilot.press("j", "j")
        assert await _shows(pilot, app, " P cannot reach D: P1 rank 1 could not connect to D3")
        await pilot.press("G")
        assert await _shows(pilot, app, "Nothing is wrong with this transfer: it waits for")
        assert " DO " not in screen(app)
        await pilot.resize_terminal(80, 24)
        assert await _shows(pilot, app, "p99, 5 min")
        assert "Nothing is wrong" not in screen(app)
