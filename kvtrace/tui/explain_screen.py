"""The page of a cause: what it means, how to be sure of it, and what to do."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.screen import Screen

from kvtrace.causes import ABOUT, Cause
from kvtrace.errors import KvtraceError
from kvtrace.pages import page
from kvtrace.tui import moving
from kvtrace.tui.filling import Filling
from kvtrace.tui.frame import Frame
from kvtrace.tui.surround import Surround
from kvtrace.tui.text import piece, wrap

_WIDEST = 100


class Explained(Message):
    """The page of a cause is to be shown."""

    def __init__(self, cause: Cause) -> None:
        super().__init__()
        self.cause = cause


class ExplainScreen(Screen[None]):
    """The text of the page, which may be longer than the screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "app.pop_screen", "back", key_display="esc"),
        *moving.DOWN_AND_UP,
    ]

    frame: reactive[Frame | None] = reactive(None)

    def __init__(
        self, cause: Cause, footer: Sequence[tuple[str, str]], *, opened_from: str = "Causes"
    ) -> None:
        super().__init__()
        self._first = 0
        self._cause = cause
        path = [opened_from, ABOUT[cause].label]
        self._around = Surround(ExplainScreen.frame, lambda: path, footer)

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield from self._around.compose(Filling(self._page).data_bind(ExplainScreen.frame))

    def action_page(self, by: int) -> None:
        """Go ten lines down, or up."""
        self.action_move(10 * by)

    def action_move(self, by: int) -> None:
        """Go so many lines down."""
        self._first = max(self._first + by, 0)
        self.query_one(Filling).redraw()

    def _page(self, frame: Frame, room: int) -> list[Text]:
        lines = explained(self._cause, frame)
        self._first = min(self._first, max(len(lines) - room, 0))
        return lines[self._first : self._first + room]


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
