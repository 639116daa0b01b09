"""The screen that says whether anything is stuck, and where."""

from collections.abc import Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.reactive import reactive
from textual.screen import Screen

from kvtrace.tui import panels
from kvtrace.tui.drawn import Drawn
from kvtrace.tui.frame import Frame
from kvtrace.tui.header import keys
from kvtrace.tui.losses import lost
from kvtrace.tui.table import TransfersTable


class FleetScreen(Screen[None]):
    """Verdict, phases, transfers, engines, losses, keys."""

    AUTO_FOCUS = "TransfersTable"

    frame: reactive[Frame | None] = reactive(None)

    def __init__(self, footer: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._keys = footer

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield Drawn(panels.top).data_bind(FleetScreen.frame)
        yield Drawn(panels.strip_of_phases).data_bind(FleetScreen.frame)
        yield TransfersTable().data_bind(FleetScreen.frame)
        yield Drawn(panels.line_of_engines).data_bind(FleetScreen.frame)
        yield Drawn(panels.own_losses).data_bind(FleetScreen.frame)
        yield Drawn(self._footer).data_bind(FleetScreen.frame)

    def _footer(self, frame: Frame) -> list[Text]:
        note = "" if panels.plan(frame).losses else lost(frame)
        return [keys(frame, self._keys, note=note)]
