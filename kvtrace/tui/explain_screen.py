"""The page of a cause: what it means, how to be sure of it, and what to do."""

from collections.abc import Sequence

from rich.text import Text
from textual.message import Message

from kvtrace.causes import ABOUT, Cause
from kvtrace.errors import KvtraceError
from kvtrace.pages import page
from kvtrace.tui.frame import Frame
from kvtrace.tui.reading import ReadingScreen
from kvtrace.tui.text import piece, wrap

_WIDEST = 100


class Explained(Message):
    """The page of a cause is to be shown."""

    def __init__(self, cause: Cause) -> None:
        super().__init__()
        self.cause = cause


class ExplainScreen(ReadingScreen):
    """The text of the page."""

    def __init__(
        self, cause: Cause, footer: Sequence[tuple[str, str]], *, opened_from: str = "Causes"
    ) -> None:
        super().__init__([opened_from, ABOUT[cause].label], footer)
        self._cause = cause

    def lines(self, frame: Frame) -> list[Text]:
        """What the documentation says of the cause."""
        return explained(self._cause, frame)


def explained(cause: Cause, frame: Frame) -> list[Text]:
    """The page as lines that fit the frame."""
    look = frame.look
    try:
        text = page(cause)
    except KvtraceError as error:
        return [piece(f" {look.words(str(error))}", look.style("slow"))]
    lines: list[Text] = []
    for paragraph in text.split("\n\n"):
        if paragraph.startswith("#"):
            title = paragraph.lstrip("# ").strip()
            lines += [piece(f" {look.words(title)}", look.style("strong")), Text()]
            continue
        items = paragraph.splitlines() if paragraph.startswith("- ") else [paragraph]
        for item in items:
            told = wrap(look.words(" ".join(item.split())), min(frame.width - 3, _WIDEST))
            lines += [piece(f" {line}", look.style("text")) for line in told]
        lines.append(Text())
    return [Text(), *lines]
