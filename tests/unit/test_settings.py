"""The list of variables says all that the code reads, and no more."""

import ast
from collections.abc import Iterator
from pathlib import Path

from kvtrace.settings import VARIABLES
from tools.configuration import PAGE, page

ROOT = Path(__file__).parents[2]
SOURCES = [
    path
    for folder in ("kvtrace", "connector")
    for path in (ROOT / folder).rglob("*.py")
    if path.name != "settings.py"
]


def literals() -> Iterator[str]:
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def looks_like_a_variable(text: str) -> bool:
    return (text == "KVTRACE" or text.startswith(("KVTRACE_", "OTEL_"))) and (
        text.replace("_", "").isalnum() and text == text.upper() and not text.endswith("_")
    )


def test_the_page_of_settings_is_current() -> None:
    assert PAGE.read_text() == page(), "run: python tools/configuration.py"


def test_every_variable_that_the_code_names_is_listed() -> None:
    named = {text for text in literals() if looks_like_a_variable(text)}
    assert named - {one.name for one in VARIABLES} == set()


def test_every_variable_of_our_own_that_is_listed_is_read() -> None:
    """OpenTelemetry's are put together from parts, or read by its own exporters."""
    named = {text for text in literals() if looks_like_a_variable(text)}
    ours = {one.name for one in VARIABLES if one.name.startswith("KVTRACE")}
    assert ours - named == set()


def test_each_variable_is_listed_once() -> None:
    assert len({one.name for one in VARIABLES}) == len(VARIABLES)
