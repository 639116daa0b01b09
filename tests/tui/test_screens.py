"""The screens that digits lead to, and what one finds with them."""

import pytest
from textual.pilot import Pilot

from kvtrace.moments import Lost
from kvtrace.tui.app import KvtraceApp
from kvtrace.tui.cause_screen import CausesScreen
from kvtrace.tui.engine_screen import EnginesScreen
from kvtrace.tui.event_screen import EventsScreen
from kvtrace.tui.finder import Finder
from kvtrace.tui.links import LinksScreen
from kvtrace.tui.table import TransfersTable
from tests.tui import samples
from tests.tui.conftest import Start, incident
from tests.tui.test_app import screen, selected, settled

SECOND = samples.S


async def press(pilot: Pilot[None], *keys: str) -> None:
    await settled(pilot)
    await pilot.press(*keys)
    await pilot.pause()
    await pilot.pause()


def typed(text: str) -> list[str]:
    named = {" ": "space", ":": "colon", ">": "greater_than_sign", "-": "minus", "!": "!"}
    return [named.get(sign, sign) for sign in text]


def links(app: KvtraceApp) -> LinksScreen:
    assert isinstance(app.screen, LinksScreen)
    return app.screen


async def test_digits_lead_to_screens_and_tab_to_the_next(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        for key, said in (
            ("2", "CAUSE"),
            ("3", "GB/s"),
            ("4", "ENGINE  state"),
            ("5", "following"),
            ("1", "PHASE"),
        ):
            await press(pilot, key)
            assert said in screen(app)
        await press(pilot, "tab")
        assert isinstance(app.screen, CausesScreen)
        await press(pilot, "shift+tab", "shift+tab")
        assert isinstance(app.screen, EventsScreen)


async def test_a_digit_leads_away_from_an_opened_transfer(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "enter", "4")
        assert isinstance(app.screen, EnginesScreen)
        await press(pilot, "1")
        assert "7 stalled" in screen(app)


async def test_a_click_on_a_tab_leads_there(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        await pilot.click(offset=(32, 0))
        await pilot.pause()
        assert isinstance(app.screen, LinksScreen)


async def test_links_begin_at_the_one_with_most_stalled_transfers(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "3")
        assert links(app).selected == ("P0", "D2")
        assert "4 links hold stalled transfers" in screen(app)
        await press(pilot, "l", "j")
        assert links(app).selected == ("P1", "D3")
        await press(pilot, "h", "k", "k")
        assert links(app).selected == ("P0", "D2")
        await press(pilot, "n")
        assert links(app).selected == ("P1", "D3")


async def test_s_turns_what_a_cell_of_links_shows_and_z_opens_its_ranks(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "3", "s")
        assert "4m 11s" in screen(app)
        assert "shown: longest wait" in screen(app)
        await press(pilot, "n", "z")
        assert "P1 → D3  rank by rank" in screen(app)
        assert "rank 0" in screen(app)
        await press(pilot, "escape")
        assert "rank by rank" not in screen(app)


async def test_enter_on_a_link_shows_its_transfers_alone(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "3", "enter")
        await pilot.pause(0.2)
        assert "FILTER  link:P0>D2  3 of 19 shown" in screen(app)
        assert "P1 → D3" not in screen(app)
        await press(pilot, "escape")
        assert "FILTER" not in screen(app)
        assert "P1 → D3" in screen(app)


async def test_below_the_links_stand_the_transfers_of_the_chosen_one(start: Start) -> None:
    app = start()
    async with app.run_test(size=(160, 60)) as pilot:
        await press(pilot, "3")
        below = screen(app).partition("TRANSFERS")[2]
        mine = [row for row in incident().rows if row.link == incident().rows[0].link]
        assert "in flight on P0 → D2" in below
        assert all(row.id in below for row in mine)
        assert samples.BROKEN not in below
        await press(pilot, "n")
        assert samples.BROKEN in screen(app).partition("TRANSFERS")[2]


async def test_a_click_on_a_cell_selects_that_link(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "3")
        row = next(y for y, line in enumerate(screen(app).splitlines()) if line.startswith(" P2"))
        await pilot.click(offset=(8, row))
        await pilot.pause()
        assert links(app).selected == ("P2", "D0")


async def test_engines_show_the_facts_of_the_one_under_the_cursor(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "4", "j", "j")
        assert isinstance(app.screen, EnginesScreen)
        assert app.screen.selected == "P2"
        assert "4 P and 6 D, all are heard." in screen(app)
        await press(pilot, "g", "n")
        assert app.screen.selected == "P1"
        await press(pilot, "G", "enter")
        await pilot.pause(0.2)
        assert "FILTER  engine:D5" in screen(app)


async def test_events_follow_the_newest_until_one_moves_up(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "5")
        assert isinstance(app.screen, EventsScreen)
        assert "following" in screen(app)
        await press(pilot, "k", "k", "k")
        assert "3 newer, f follows" in screen(app)
        await press(pilot, "f")
        assert "following" in screen(app)


async def test_events_are_filtered_and_open_their_transfer(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "5", "slash", *typed("event:failed"), "enter")
        assert isinstance(app.screen, EventsScreen)
        assert "FILTER  event:failed  1 of" in screen(app)
        assert "✗ handshake failed" in screen(app)
        await press(pilot, "enter")
        assert f"Events › {samples.BROKEN}" in screen(app)
        await press(pilot, "escape", "escape")
        assert "FILTER" not in screen(app)


async def test_what_was_lost_is_among_the_events(start: Start) -> None:
    app = start(samples.snapshot([], samples.START, Lost(overwritten=4_096)))
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "5")
        assert "✗ events lost" in screen(app)
        assert "overwritten 4,096" in screen(app)


async def test_a_filter_is_seen_as_one_types_and_a_wrong_one_is_told_plainly(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "slash", *typed("phase:w"))
        assert "2 of 19 shown" in screen(app)
        await press(pilot, *typed("xy"))
        assert "phase wants registration, readiness, write or completion" in screen(app)
        assert app.screen.query_one(TransfersTable).shown == 2
        await press(pilot, "enter")
        assert "FILTER  phase:w  2 of 19 shown" in screen(app)
        await press(pilot, "j", "enter")
        assert "chatcmpl-" in screen(app)


async def test_tab_completes_what_one_types(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "slash", *typed("ou"), "tab", *typed("st"), "tab", "enter")
        assert app.screen.query_one(Finder).wanted.text == "outcome:stalled"
        assert "7 of 19 shown" in screen(app)


async def test_keys_are_text_while_one_types_and_escape_shows_all_again(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "slash", "q", "1", "n", "x")
        assert "0 of 19 shown" in screen(app)
        await press(pilot, "escape")
        assert "FILTER" not in screen(app)
        assert app.screen.query_one(TransfersTable).shown == 19


async def test_a_failed_transfer_is_found_by_its_outcome(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "slash", *typed("outcome:finished"), "enter")
        lines = [line for line in screen(app).splitlines() if "✓" in line]
        assert len(lines) > 10


async def test_marks_stay_and_can_be_seen_alone(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "m", "j", "m", "M")
        assert "MARKED  2 marked, 2 in flight" in screen(app)
        marked = app.screen.query_one(TransfersTable).choice.marked
        assert marked == {incident().rows[0].transfer.id, incident().rows[2].transfer.id}
        assert screen(app).count("■") == 2
        await press(pilot, "escape")
        assert "MARKED" not in screen(app)


async def test_a_followed_transfer_stays_on_top(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "j", "j", "f", "s")
        lines = screen(app).splitlines()
        head = next(y for y, line in enumerate(lines) if "waits for" in line)
        assert samples.BROKEN[:24] in lines[head + 1]
        assert selected(app) == samples.BROKEN
        await press(pilot, "f", "g")
        assert app.screen.query_one(TransfersTable).choice.followed is None


async def test_a_click_on_a_heading_sorts_and_another_turns_it_around(start: Start) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        head = next(line for line in screen(app).splitlines() if "waits for" in line)
        await pilot.click(TransfersTable, offset=(head.index("link"), 0))
        await pilot.pause()
        assert "link ▾" in screen(app)


@pytest.mark.parametrize("size", [(20, 5), (40, 10), (80, 24), (100, 30), (200, 60)])
@pytest.mark.parametrize("key", ["1", "2", "3", "4", "5", "question_mark", "enter"])
async def test_every_screen_is_drawn_at_every_size(
    start: Start, size: tuple[int, int], key: str
) -> None:
    app = start()
    async with app.run_test(size=size) as pilot:
        await press(pilot, key, "j", "k")
        lines = screen(app).splitlines()
        assert len(lines) == size[1]
        assert all(len(line) <= size[0] for line in lines)
        assert any(line.strip() for line in lines)


@pytest.mark.parametrize("key", ["1", "2", "3", "4", "5"])
async def test_every_screen_has_something_to_say_before_anything_is_heard(
    start: Start, key: str
) -> None:
    app = start(samples.snapshot([], samples.START))
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, key, "j", "enter", "n", "s", "z")
        assert "kvtrace" in screen(app)
