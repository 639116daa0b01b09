"""The help page and the footer say every key, once, and where it holds."""

import pytest
from textual.binding import Binding

from kvtrace.tui import driving
from kvtrace.tui.app import KEYS
from kvtrace.tui.event_screen import EventsScreen
from kvtrace.tui.fleet import FleetScreen
from kvtrace.tui.frame import Frame
from kvtrace.tui.header import keys
from kvtrace.tui.help import page
from kvtrace.tui.shown import Key, bindings, footer, grouped
from kvtrace.tui.table import TransfersTable
from kvtrace.tui.tour import WITH_KEYS
from tests.tui.conftest import Start
from tests.tui.test_app import screen
from tests.tui.test_screens import press

GROUPS = grouped([(where, bindings(node)) for where, node in WITH_KEYS], KEYS)
LINES = [key for group in GROUPS.values() for key in group]


def test_no_key_is_said_twice_for_the_same_place() -> None:
    said = [(key.keys, key.where) for key in LINES]
    assert len(said) == len(set(said))


def test_every_key_that_is_described_is_on_the_page() -> None:
    told = " ".join(key.said for key in LINES)
    every = [one for _, node in WITH_KEYS for one in bindings(node)] + list(KEYS)
    assert all(one.description in told for one in every)


@pytest.mark.parametrize(
    ("keys", "said", "where"),
    [
        ("j ↓ k ↑", "down, up", ""),
        ("z", "ranks", "Links"),
        ("z", "fold", "Transfer"),
        ("s", "other numbers", "Links"),
        ("s S", "sort, reverse sort", "Fleet"),
        ("esc", "show all", "Fleet, Events"),
        ("y", "copy id", "not on Links"),
        ("x", "export", ""),
    ],
)
def test_a_key_says_on_which_screen_it_holds(keys: str, said: str, where: str) -> None:
    assert Key(keys, said, where) in LINES


def test_keys_with_the_same_description_but_other_places_stay_apart() -> None:
    found = grouped([("Fleet", [Binding("a", "move(1)", "down")]), ("Links", [])], [])
    assert found == {"move": [Key("a", "down", "not on Links")]}


async def test_help_fits_a_middling_terminal_and_else_says_that_there_is_more(
    start: Start,
) -> None:
    app = start()
    async with app.run_test(size=(120, 40)) as pilot:
        await press(pilot, "question_mark")
        assert "D has not counted every rank" in screen(app)
        assert "is amber." in screen(app)
        assert "more lines" not in screen(app)
        await pilot.resize_terminal(80, 24)
        await press(pilot)
        assert "more lines" in screen(app)
        await press(pilot, *["pagedown"] * 9)
        assert "more lines" not in screen(app)
        assert "is amber." in screen(app)


def test_no_line_of_the_page_is_cut() -> None:
    text = "\n".join(line.plain for line in page(Frame(width=120, height=40), GROUPS))
    for key in LINES:
        assert f"{key.said}  {key.where}".rstrip() in text


@pytest.mark.parametrize("replays", [False, True])
def test_the_footer_at_80_columns_has_what_is_needed_most(replays: bool) -> None:
    own = [*bindings(TransfersTable), *bindings(FleetScreen)]
    shown = footer(KEYS, own)
    shown = driving.footer(shown) if replays else shown
    line = keys(Frame(width=80, height=24), shown).plain
    for said in ("? help", "q quit", "⏎ open", "/ filter", "space pause"):
        assert said in line
    assert ("% go to" in line) is replays


def test_the_footer_of_the_smallest_terminal_says_help_and_quit() -> None:
    line = keys(Frame(width=20, height=5), footer(KEYS, bindings(EventsScreen))).plain
    assert line.split() == ["?", "help", "q", "quit"]
