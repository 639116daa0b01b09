"""The line in which one types where in a recording to go."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import ModalScreen
from textual.widgets import Input

HINT = "a time 12:03:41 or 1m30s, +5s, 50%, or a part of an id"
"""Fits in 80 columns, with what stands before it."""


class GoScreen(ModalScreen[str | None]):
    """One line above what one sees; gives what was typed."""

    DEFAULT_CSS = """
    GoScreen Input {
        dock: bottom; height: 1; border: none; padding: 0 1;
        background: $panel; color: $foreground;
    }
    GoScreen Input:focus { border: none; background-tint: $foreground 0%; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", show=False)]

    def compose(self) -> ComposeResult:
        """The line alone."""
        line = Input(placeholder=f"go to: {HINT}")
        line.cursor_blink = False
        yield line

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go there."""
        self.dismiss(event.value.strip() or None)

    def action_leave(self) -> None:
        """Stay."""
        self.dismiss(None)
