"""Causes, rules, stories and pages stay in step."""

import re
from pathlib import Path

import pytest

from kvtrace.causes import ABOUT, Cause

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "causes"
SECTIONS = [
    "What it means",
    "What you see",
    "Why it happens",
    "How to be sure",
    "What to do",
    "vLLM releases",
    "How it is proven",
    "References",
]


def named_in(folder: Path) -> set[Cause]:
    """The causes that the Python files of this folder name."""
    text = "".join(path.read_text() for path in folder.glob("*.py"))
    return {Cause[name] for name in re.findall(r"\bCause\.([A-Z_]+)\b", text)}


RULED = sorted(named_in(ROOT / "kvtrace" / "diagnosis"))


@pytest.mark.parametrize("cause", RULED)
def test_each_cause_that_a_rule_names_has_a_page(cause: Cause) -> None:
    assert (PAGES / f"{cause}.md").is_file()


@pytest.mark.parametrize("cause", RULED)
def test_each_cause_that_a_rule_names_has_a_story(cause: Cause) -> None:
    assert cause in named_in(ROOT / "tests" / "unit" / "diagnosis")


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_each_page_belongs_to_a_cause_and_has_every_section(page: Path) -> None:
    lines = page.read_text().splitlines()
    assert lines[0] == f"# {ABOUT[Cause(page.stem)].label}"
    assert [line.removeprefix("## ") for line in lines if line.startswith("## ")] == SECTIONS


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_each_page_names_the_modes_of_its_cause(page: Path) -> None:
    text = page.read_text()
    assert [mode for mode in ABOUT[Cause(page.stem)].modes if mode not in text] == []
