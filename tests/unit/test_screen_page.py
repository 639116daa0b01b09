"""The page on the screen says what the code understands."""

import re
import tomllib
from pathlib import Path

from kvtrace.filters import Filter, parse
from kvtrace.tui.preferences import preferences
from kvtrace.tui.themes import PALETTES

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
