"""The phases as rows that one can choose, to see the transfers of that phase alone."""

from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from kvtrace.model import Phase
from kvtrace.tui import moving, panels
from kvtrace.tui.drawn import Drawn
from kvtrace.tui.frame import Frame

_CHIP = 4
"""Cells of a row that keep their own ground under the cursor: the phase's letter on its colour."""


class PhaseStrip(Drawn, can_focus=True):
    """A row for each phase; the keys come here from the table below, and go back there."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *moving.DOWN_AND_UP[:2],
        moving.OPEN,
        Binding("escape", "leave", show=False),
    ]

    class Chosen(Message):
        """The transfers of a phase are to be seen alone."""

        def __init__(self, phase: Phase) -> None:
            super().__init__()
            self.phase = phase

    class Left(Message):
        """The keys are to go back to the table."""

    def __init__(self) -> None:
        super().__init__(self._rows)
        self._at = 0

    def enter(self) -> None:
        """Take the keys, on the row next to the table; without rows, do nothing."""
        if self._phases():
            self._at = len(self._phases()) - 1
            self.focus()

    def action_move(self, by: int) -> None:
        """Go so many rows down; below the last is the table."""
        self._at = max(self._at + by, 0)
        if self._at >= len(self._phases()):
            self.action_leave()
        self.watch_frame(self.frame)

    def action_open(self) -> None:
        """Choose the phase under the cursor."""
        phases = self._phases()
        if self._at < len(phases):
            self.post_message(self.Chosen(phases[self._at]))

    def action_leave(self) -> None:
        """Go back to the table."""
        self.post_message(self.Left())

    def on_click(self, event: events.Click) -> None:
        """Choose the phase under the pointer."""
        phases, top = self._phases(), self._top()
        if top <= event.y < top + len(phases):
            self.post_message(self.Chosen(phases[event.y - top]))
        else:
            self.action_leave()

    def on_focus(self) -> None:
        """Show where one is."""
        self.watch_frame(self.frame)

    def on_blur(self) -> None:
        """Show no cursor any more."""
        self.watch_frame(self.frame)

    def _phases(self) -> list[Phase]:
        if self.frame is None or not panels.strip_of_phases(self.frame):
            return []
        return [line.phase for line in self.frame.snapshot.phases]

    def _top(self) -> int:
        return panels.above_phases(self.frame) if self.frame is not None else 0

    def _rows(self, frame: Frame) -> list[Text]:
        lines = panels.strip_of_phases(frame)
        if not self.has_focus:
            return lines
        at = panels.above_phases(frame) + self._at
        if at < len(lines):
            line = lines[at]
            line.append(" " * max(frame.width - line.cell_len, 0))
            line.stylize(frame.look.selection, _CHIP)
        else:
            self.action_leave()
        return lines
