"""A page of Markdown as lines for a terminal, or for a file, that are read without the screen."""

import re
from io import StringIO
from string import punctuation
from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Heading, Markdown, MarkdownElement
from rich.theme import Theme

STYLES = Theme(
    {
        "markdown.h1": "bold",
        "markdown.h2": "bold",
        "markdown.code": "bold",
        "markdown.item.bullet": "none",
        "markdown.link": "none",
        "markdown.link_url": "none",
    },
    inherit=True,
)
"""No colours of our own: what is told by them must be told where there are none too."""


_CODE = re.compile(r"`[^`]+`")
_EMPHASIS = re.compile(r"(?<![*\w\\])\*(?!\s)([^*]+)\*(?!\w)")
_SIGNS = [chr(0xE000 + number) for number in range(100)]
"""Each stands for a link while lines are made; no page has them."""


class _Title(Heading):
    """A heading at the left, without a frame."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        yield self.text


class _Page(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _Title,
    }


def printed(text: str, width: int, *, styled: bool) -> list[str]:
    """The page in lines of at most so many columns; without any escape unless it is styled.

    Code then keeps its backticks, and what is emphasised gets quotes: nothing else tells them from
    the words around them.
    """
    sheet = StringIO()
    console = Console(
        file=sheet,
        width=width,
        theme=STYLES,
        force_terminal=styled,
        color_system="standard" if styled else None,
        legacy_windows=False,
    )
    told = text if styled else _EMPHASIS.sub(r"“\1”", _CODE.sub(_literal, text))
    # A link that is longer than a line stays one word, so that it can be followed.
    long = {word for word in told.split() if "://" in word and len(word) > width - 3}
    links = dict(zip(_SIGNS, sorted(long, key=len, reverse=True), strict=False))
    for sign, link in links.items():
        told = told.replace(link, sign)
    console.print(_Page(told, hyperlinks=False))
    shown = sheet.getvalue()
    for sign, link in links.items():
        shown = shown.replace(sign, link)
    return [line.rstrip() for line in shown.strip("\n").splitlines()]


def _literal(code: re.Match[str]) -> str:
    """The same signs, none of which means anything."""
    return "".join(f"\\{sign}" if sign in punctuation else sign for sign in code[0])
