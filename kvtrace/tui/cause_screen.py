"""The screen that says what is wrong: how many transfers for which cause, and what to do."""

from collections.abc import Container, Sequence
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType

from kvtrace.causes import Cause
from kvtrace.diagnosed import CauseLine
from kvtrace.tui import cause_page
from kvtrace.tui.clipboard import Copied
from kvtrace.tui.explain_screen import Explained
from kvtrace.tui.frame import Frame
from kvtrace.tui.picking import PickingScreen
from kvtrace.tui.trouble import NoTrouble


class CausesScreen(PickingScreen[Cause]):
    """A line for each cause; below the one under the cursor, its evidence and what to do."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *PickingScreen.BINDINGS,
        Binding("Y", "report", "copy report", show=False),
        Binding("i", "explain", "explain"),
    ]

    CALM = "no cause is true now"
    EMPTY = "no cause is listed: nothing waits too long or has failed"

    def __init__(self, footer: Sequence[tuple[str, str]]) -> None:
        super().__init__("Causes", footer)

    def every(self, frame: Frame) -> list[Cause]:
        """All causes that transfers or engines have."""
        return [one.cause for one in frame.snapshot.causes]

    def troubled(self, frame: Frame) -> Container[Cause]:
        """Those that are true now."""
        return {one.cause for one in frame.snapshot.causes if one.stalled}

    def row_at(self, frame: Frame, room: int, y: int) -> Cause | None:
        """The cause on that line."""
        return cause_page.row_at(frame, self.selected, room, y)

    def filter_of(self, frame: Frame, picked: Cause) -> str:
        """By the cause."""
        return f"cause:{picked}"

    def lines(self, frame: Frame, room: int) -> list[Text]:
        """The list, the evidence, what to do."""
        return cause_page.page(frame, self.selected, room)

    def action_copy(self) -> None:
        """Put the id of the transfer that waits longest for the cause on the clipboard."""
        line = self._line()
        if line is None:
            self.say_empty()
        elif line.transfers:
            self.post_message(Copied(line.transfers[0]))
        else:
            self.post_message(NoTrouble("the engines themselves have this cause, no transfer"))

    def action_report(self) -> None:
        """Put what is known of the cause on the clipboard, for an incident."""
        line = self._line()
        if line is None:
            self.say_empty()
            return
        worst = line.worst
        told = [worst.label, worst.sentence, f"DO {worst.remedy}"]
        told += [f"SAW {one.text}" for one in worst.evidence]
        self.post_message(Copied("\n".join([*told, *line.transfers])))

    def action_explain(self) -> None:
        """Show the page of the cause under the cursor."""
        if self.selected is not None:
            self.post_message(Explained(self.selected))
        else:
            self.say_empty()

    def _line(self) -> CauseLine | None:
        known = self.frame.snapshot.causes if self.frame else ()
        return next((one for one in known if one.cause is self.selected), None)
