"""What stands above and below on every screen: where one is, our own losses, the keys."""

from collections.abc import Callable, Iterator, Sequence

import msgspec
from rich.text import Text
from textual import events
from textual.binding import Binding
from textual.message import Message
from textual.reactive import Reactive
from textual.widget import Widget

from kvtrace.tui.drawn import Drawn
from kvtrace.tui.frame import Frame
from kvtrace.tui.header import header, keys, tab_at
from kvtrace.tui.losses import losses, lost
from kvtrace.tui.scrubbing import Scrubber

TURNS = (
    Binding("tab", "app.turn(1)", "next screen", key_display="tab", show=False),
    Binding("shift+tab", "app.turn(-1)", show=False),
)
"""The keys of every screen that a digit leads to."""

Bound = Reactive[Frame | None]


class Around(msgspec.Struct, frozen=True):
    """Which of them there is room for."""

    header: bool = True
    losses: bool = True
    gap: bool = False
    """A blank line above the losses."""


def around(frame: Frame) -> Around:
    """What there is room for on a screen that has nothing else to give up."""
    return Around(header=frame.height >= 8, losses=frame.height >= 8, gap=frame.height >= 30)


class Header(Drawn):
    """The first row; a click on a tab leads there."""

    class Chosen(Message):
        """A tab was clicked."""

        def __init__(self, tab: str) -> None:
            super().__init__()
            self.tab = tab

    def __init__(self, path: Callable[[], Sequence[str]], plan: Callable[[Frame], Around]) -> None:
        super().__init__(self._lines_of)
        self._path = path
        self._plan = plan

    @property
    def path(self) -> Sequence[str]:
        """Where one is, from the outside in."""
        return self._path()

    def on_click(self, event: events.Click) -> None:
        """Go to the tab under the pointer; to the first, where one is further in."""
        path = self._path()
        if self.frame is None:
            return
        tab = tab_at(self.frame, path[0], event.x) if len(path) == 1 else path[0]
        if tab is not None:
            self.post_message(self.Chosen(tab))

    def _lines_of(self, frame: Frame) -> list[Text]:
        return [header(frame, self._path())] if self._plan(frame).header else []


class Surround:
    """Makes the widgets around a screen's own."""

    def __init__(
        self,
        bound: Bound,
        path: Callable[[], Sequence[str]],
        footer: Sequence[tuple[str, str]],
        plan: Callable[[Frame], Around] = around,
    ) -> None:
        """`bound` is the reactive of the screen that holds the frame."""
        self._bound = bound
        self._path = path
        self._footer = footer
        self._plan = plan

    def compose(self, *inner: Widget) -> Iterator[Widget]:
        """From top to bottom; `inner` is what the screen is about."""
        yield Header(self._path, self._plan).data_bind(frame=self._bound)
        yield from inner
        yield Scrubber().data_bind(frame=self._bound)
        yield Drawn(self.losses, id="losses").data_bind(frame=self._bound)
        yield Drawn(self.keys, id="keys").data_bind(frame=self._bound)

    def losses(self, frame: Frame) -> list[Text]:
        """The last line but one: what we know that we did not see."""
        plan = self._plan(frame)
        blank = [Text()] if plan.gap else []
        return [*blank, losses(frame)] if plan.losses else []

    def keys(self, frame: Frame) -> list[Text]:
        """The last line: what keys do here."""
        note = "" if self._plan(frame).losses else lost(frame)
        return [keys(frame, self._footer, note=note)]
