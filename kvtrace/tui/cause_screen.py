"""The screen that says what is wrong: how many transfers for which cause, and what to do."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import var
from textual.screen import Screen

from kvtrace.causes import Cause
from kvtrace.diagnosed import CauseLine
from kvtrace.tui import cause_page, moving
from kvtrace.tui.clipboard import Copied
from kvtrace.tui.explain_screen import Explained
from kvtrace.tui.filling import Filling
from kvtrace.tui.frame import Frame
from kvtrace.tui.surround import TURNS, Surround
from kvtrace.tui.trouble import NoTrouble


class CausesScreen(Screen[None]):
    """A line for each cause; below the one under the cursor, its evidence and what to do."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *moving.DOWN_AND_UP,
        *moving.ENDS,
        moving.OPEN,
        *moving.TROUBLE,
        moving.COPY,
        Binding("Y", "report", "copy report", show=False),
        Binding("i", "explain", "explain"),
        *TURNS,
    ]

    frame: var[Frame | None] = var(None)

    class Opened(Message):
        """The transfers with a cause are to be shown."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text
            """The filter that shows them alone."""

    def __init__(self, footer: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.selected: Cause | None = None
        """The cause under the cursor."""

        self._around = Surround(CausesScreen.frame, lambda: ["Causes"], footer)

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield from self._around.compose(Filling(self._draw).data_bind(CausesScreen.frame))

    def action_move(self, by: int) -> None:
        """Go so many causes down."""
        found = moving.moved(self._causes(), self.selected, by)
        if found is not None:
            self._choose(found)

    def action_page(self, by: int) -> None:
        """Go ten causes down, or up."""
        self.action_move(10 * by)

    def action_top(self) -> None:
        """Go to the first."""
        self.action_move(-len(self._causes()))

    def action_bottom(self) -> None:
        """Go to the last."""
        self.action_move(len(self._causes()))

    def action_trouble(self, by: int) -> None:
        """Go to the next cause that is true now, around the end."""
        if self.frame is None:
            return
        true = {one.cause for one in self.frame.snapshot.causes if one.stalled}
        found = moving.onward(self._causes(), self.selected, by, true)
        if found is not None:
            self._choose(found)
        else:
            self.post_message(NoTrouble("no cause is true now"))

    def action_open(self) -> None:
        """Show the transfers with the cause under the cursor."""
        if self.selected is not None:
            self.post_message(self.Opened(f"cause:{self.selected}"))

    def action_copy(self) -> None:
        """Put the id of the transfer that waits longest for the cause on the clipboard."""
        line = self._line()
        if line is not None and line.transfers:
            self.post_message(Copied(line.transfers[0]))

    def action_report(self) -> None:
        """Put what is known of the cause on the clipboard, for an incident."""
        line = self._line()
        if line is not None:
            worst = line.worst
            told = [worst.label, worst.sentence, f"DO {worst.remedy}"]
            told += [f"SAW {one.text}" for one in worst.evidence]
            self.post_message(Copied("\n".join([*told, *line.transfers])))

    def action_explain(self) -> None:
        """Show the page of the cause under the cursor."""
        if self.selected is not None:
            self.post_message(Explained(self.selected))

    def on_click(self, event: events.Click) -> None:
        """Select the cause; the one that is selected already is opened."""
        filling = self.query_one(Filling)
        inside = event.get_content_offset(filling)
        if inside is None or self.frame is None:
            return
        found = cause_page.row_at(self.frame, self.selected, filling.size.height, inside.y)
        if found is not None and found is self.selected:
            self.action_open()
        elif found is not None:
            self._choose(found)

    def on_mouse_scroll_down(self) -> None:
        """Go down."""
        self.action_move(1)

    def on_mouse_scroll_up(self) -> None:
        """Go up."""
        self.action_move(-1)

    def _causes(self) -> list[Cause]:
        return [one.cause for one in self.frame.snapshot.causes] if self.frame else []

    def _line(self) -> CauseLine | None:
        known = self.frame.snapshot.causes if self.frame else ()
        return next((one for one in known if one.cause is self.selected), None)

    def _choose(self, cause: Cause) -> None:
        self.selected = cause
        self.query_one(Filling).redraw()

    def _draw(self, frame: Frame, room: int) -> list[Text]:
        causes = [one.cause for one in frame.snapshot.causes]
        if self.selected not in causes:
            self.selected = causes[0] if causes else None
        return cause_page.page(frame, self.selected, room)
