"""The screen of one transfer: where its time went, and what it waits for."""

import os
from collections.abc import Mapping, Sequence
from typing import ClassVar

import msgspec
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import var
from textual.screen import Screen

from kvtrace.signals.traces import trace_of
from kvtrace.tui import moving
from kvtrace.tui.clipboard import Copied
from kvtrace.tui.filling import Filling
from kvtrace.tui.frame import Frame
from kvtrace.tui.opened import Opened, find, key_of
from kvtrace.tui.page import page
from kvtrace.tui.surround import Around, Surround


class TransferScreen(Screen[None]):
    """One transfer; it goes on being shown after it has ended, and after it was forgotten."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "app.pop_screen", "back", key_display="esc"),
        Binding("left,h,k,up", "walk(-1)", "event by event", key_display="← →"),
        Binding("right,l,j,down", "walk(1)", show=False),
        Binding("g,home", "walk(-1000000)", "first", key_display="g", show=False),
        Binding("G,end", "walk(1000000)", "last", key_display="G", show=False),
        Binding("z", "fold", "fold"),
        Binding("e", "events", "all events"),
        moving.COPY,
        Binding("o", "browse", "open trace"),
    ]

    frame: var[Frame | None] = var(None)

    class Browsed(Message):
        """Its trace is to be shown by the tracing backend."""

        def __init__(self, trace: str) -> None:
            super().__init__()
            self.trace = trace

    def __init__(
        self, key: str, footer: Sequence[tuple[str, str]], *, opened_from: str = "Fleet"
    ) -> None:
        super().__init__()
        self._key = key
        self._from = opened_from
        self._around = Surround(TransferScreen.frame, self._path, footer, _around)
        self._opened: Opened | None = None

    def compose(self) -> ComposeResult:
        """One drawing from top to bottom."""
        page = Filling(self._draw).data_bind(TransferScreen.frame)
        yield from self._around.compose(page)

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
            self.post_message(Copied(self._opened.id))

    def action_browse(self) -> None:
        """Show its trace in the tracing backend."""
        known = self._opened and (self._opened.row or self._opened.done)
        if known:
            self.post_message(self.Browsed(trace_of(known.transfer, _secret())))

    def _change(self, **changes: object) -> None:
        if self._opened is not None:
            self._opened = msgspec.structs.replace(self._opened, **changes)
            self.query_one(Filling).redraw()

    def _path(self) -> list[str]:
        if self._opened is None and self.frame is not None:
            self._opened = find(self.frame.snapshot, self._key)
        return [self._from, self._opened.id if self._opened is not None else self._key]

    def _draw(self, frame: Frame, room: int) -> list[Text]:
        self._opened = opened = _newer(self._opened, find(frame.snapshot, self._key))
        if opened is None:
            return [Text(" This transfer is no longer held by kvtrace.")]
        return page(opened, frame, room)


def _around(frame: Frame) -> Around:
    """What is wrong comes first where there is hardly any room."""
    roomy = frame.height >= 8
    below_the_bar = frame.track is not None and frame.height >= 30
    return Around(header=roomy, losses=roomy, gap=below_the_bar)


def _newer(before: Opened | None, now: Opened | None) -> Opened | None:
    """What is known now, looked at as before; or what was known last."""
    if before is None:
        return now
    if now is None:
        return msgspec.structs.replace(before, forgotten=True)
    return msgspec.structs.replace(
        now, chosen=before.chosen, to_scale=before.to_scale, all_events=before.all_events
    )


def _secret(environ: Mapping[str, str] = os.environ) -> str:
    """What the agents hash request ids with, as far as it is told here too."""
    return environ.get("KVTRACE_HASH_IDS", "")
