"""The page on the screen says what the code understands."""

import re
import tomllib
from pathlib import Path

from kvtrace.filters import NUMBERS, OUTCOMES, WORDS, Filter, parse
from kvtrace.snapshot import Losses
from kvtrace.tui import driving
from kvtrace.tui.app import KEYS
from kvtrace.tui.glyphs import UTF8
from kvtrace.tui.header import TABS
from kvtrace.tui.preferences import NAMES, preferences
from kvtrace.tui.shown import bindings, key_of
from kvtrace.tui.themes import PALETTES
from kvtrace.tui.tour import WITH_KEYS

PAGE = (Path(__file__).parents[2] / "docs" / "screen.md").read_text()


def test_every_filter_on_the_page_is_understood() -> None:
    chapter = PAGE.split("## Filtering")[1].split("## ")[0]
    rows = [line.split("|")[1] for line in chapter.splitlines() if line.startswith("| `")]
    words = [word for row in rows for word in re.findall(r"`([^`]+)`", row)]
    assert len(words) > 8
    assert [word for word in words if not isinstance(parse(word), Filter)] == []


def test_the_settings_on_the_page_are_taken() -> None:
    told = PAGE.split("```toml")[1].split("```")[0]
    assert preferences(tomllib.loads(told)).trace_url


def test_every_theme_is_on_the_page() -> None:
    assert [theme for theme in PALETTES if theme not in PAGE] == []


def chapter(title: str) -> str:
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    """The cells of its tables."""
    cut = [re.split(r"(?<!\\)\|", line)[1:-1] for line in text.splitlines() if line[:1] == "|"]
    return [[cell.strip() for cell in row] for row in cut]


EVERY = {
    (sign, one.description)
    for _, found in (*((name, bindings(node)) for name, node in WITH_KEYS), ("", KEYS))
    for one in found
    for sign in key_of(one).split()
    if one.description and one.key != "ctrl+c"
}
DRIVES = {one.key_display for one in driving.BINDINGS}


def test_every_key_is_on_the_page_with_what_it_does() -> None:
    told = rows(chapter("Keys"))[2:]
    screens = rows(PAGE.split("## ")[0])
    known = {(sign, row[1]) for row in told for sign in re.findall(r"`([^` ]+)`", row[0] + row[1])}
    for sign, said in EVERY:
        if sign.isdecimal():
            assert any(row[0] == f"`{sign}`" and row[1].lower() == said for row in screens)
        elif sign in DRIVES:
            assert f"`{sign}`" in chapter("A replay")
        else:
            assert any(one == sign and said in does for one, does in known), (sign, said)


def test_no_key_is_on_the_page_that_there_is_not() -> None:
    signs = {sign for sign, _ in EVERY} | {"ctrl+p"}
    told = [re.findall(r"`([^`]+)`", row[0]) for row in rows(chapter("Keys"))[2:]]
    assert [sign for found in told for sign in found if sign not in signs] == []


def test_every_screen_filter_word_and_setting_is_on_the_page() -> None:
    words = [*(f"`{word}:" for word in WORDS), *(f"`{word}" for word in NUMBERS)]
    assert [word for word in words if word not in chapter("Filtering")] == []
    assert [word for word in OUTCOMES if word not in chapter("Filtering")] == []
    assert [name for name in NAMES if f"\n{name} = " not in chapter("Settings")] == []
    assert [tab for tab in TABS if f"| {tab} |" not in PAGE] == []


def test_every_mark_and_every_loss_is_on_the_page() -> None:
    marks = chapter("Marks")
    signs = [*("stalled", "slow", "event", "missing", "finished", "failed", "nothing", "unseen")]
    signs += ["quiet", "marked", "pointer", "fold"]
    assert [sign for sign in signs if f"`{getattr(UTF8, sign)}`" not in marks] == []
    told = {"clock_error": "", "foreign": "not kvtrace's"}
    losses = [told.get(name, name.replace("_", " ")) for name in Losses.__struct_fields__]
    assert [name for name in losses if name and f"| `{name}` |" not in marks] == []
