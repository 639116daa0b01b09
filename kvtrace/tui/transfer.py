"""The screen of one transfer: where its time went, and what it waits for."""

from collections.abc import Sequence
from typing import ClassVar

import msgspec
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.screen import Screen

from kvtrace.tui.drawn import Drawn
from kvtrace.tui.frame import Frame
from kvtrace.tui.header import header, keys
from kvtrace.tui.losses import losses, lost
from kvtrace.tui.opened import Opened, find, key_of
from kvtrace.tui.page import page


class TransferScreen(Screen[None]):
    """One transfer; it goes on being shown after it has ended, and after it was forgotten."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "app.pop_screen", "back", key_display="esc"),
        Binding("left,h,k,up", "walk(-1)", "event by event", key_display="← →"),
        Binding("right,l,j,down", "walk(1)", show=False),
        Binding("g,home", "walk(-1000000)", "first event", key_display="g", show=False),
        Binding("G,end", "walk(1000000)", "last event", key_display="G", show=False),
        Binding("z", "fold", "fold"),
        Binding("e", "events", "all events"),
        Binding("y", "copy", "copy id"),
    ]

    frame: reactive[Frame | None] = reactive(None)

    class Copied(Message):
        """An id is to be put on the clipboard."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, key: str, footer: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._key = key
        self._keys = footer
        self._opened: Opened | None = None

    def compose(self) -> ComposeResult:
        """One drawing from top to bottom."""
        yield Drawn(self._draw).data_bind(TransferScreen.frame)

    def action_walk(self, by: int) -> None:
        """Go so many events on."""
        if self._opened is not None and self._opened.points:
            points = self._opened.points
            index = min(max(self._opened.cursor + by, 0), len(points) - 1)
            is_last = index == len(points) - 1
            self._change(chosen=None if is_last else key_of(points[index]))

    def action_fold(self) -> None:
        """Draw the time to scale, or fold what is quiet."""
        if self._opened is not None:
            self._change(to_scale=not self._opened.to_scale, all_events=False)

    def action_events(self) -> None:
        """List all events, or draw them."""
        if self._opened is not None:
            self._change(all_events=not self._opened.all_events)

    def action_copy(self) -> None:
        """Put the transfer's id on the clipboard."""
        if self._opened is not None:
            self.post_message(self.Copied(self._opened.id))

    def _change(self, **changes: object) -> None:
        if self._opened is not None:
            self._opened = msgspec.structs.replace(self._opened, **changes)
            self.query_one(Drawn).watch_frame(self.frame)

    def _draw(self, frame: Frame) -> list[Text]:
        self._opened = opened = _newer(self._opened, find(frame.snapshot, self._key))
        if opened is None:
            gone = Text(" This transfer is no longer held by kvtrace.")
            return [header(frame, ["Fleet", self._key]), gone]
        # What is wrong comes first where there is hardly any room.
        roomy = frame.height >= 8
        above = [header(frame, ["Fleet", opened.id])] if roomy else []
        below = [losses(frame)] if roomy else []
        note = "" if roomy else lost(frame)
        room = frame.height - len(above) - len(below) - 1
        foot = keys(frame, self._keys, note=note)
        return [*above, *page(opened, frame, room), *below, foot]


def _newer(before: Opened | None, now: Opened | None) -> Opened | None:
    """What is known now, looked at as before; or what was known last."""
    if before is None:
        return now
    if now is None:
        return msgspec.structs.replace(before, forgotten=True)
    return msgspec.structs.replace(
        now, chosen=before.chosen, to_scale=before.to_scale, all_events=before.all_events
    )
