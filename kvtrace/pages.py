"""The page of each cause, as it comes with this installation."""

import re
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from kvtrace.causes import Cause
from kvtrace.errors import KvtraceError

CHECKOUT = Path(__file__).parents[1] / "docs" / "causes"
"""Where the pages are while kvtrace runs from its sources."""


def meaning(cause: Cause) -> str:
    """What it means, in the first sentence that its page says of it."""
    _, _, told = page(cause).partition("\n## What it means\n")
    first = told.strip().split("\n\n")[0]
    return _SENTENCE.split(" ".join(first.split()))[0].replace("`", "")


_SENTENCE = re.compile(r"(?<=[.!?]) (?=[^a-z]|vLLM)")


def page(cause: Cause, places: tuple[Traversable, ...] | None = None) -> str:
    """The text of its page, as Markdown; raises KvtraceError where this installation has none."""
    for place in places or (files("kvtrace") / "pages", CHECKOUT):
        found = place / f"{cause}.md"
        if found.is_file():
            return found.read_text(encoding="utf-8")
    raise KvtraceError(f"the page of {cause} is not part of this installation: install it anew")
