"""The screen that says whether anything is stuck, and where."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.screen import Screen

from kvtrace.tui import panels
from kvtrace.tui.drawn import Drawn
from kvtrace.tui.finder import Finder
from kvtrace.tui.frame import Frame
from kvtrace.tui.surround import TURNS, Surround
from kvtrace.tui.table import TransfersTable
from kvtrace.tui.text import flow, piece


class FleetScreen(Screen[None]):
    """Verdict, phases, transfers, engines, losses, keys."""

    AUTO_FOCUS = "TransfersTable"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "find", "filter", key_display="/"),
        Binding("escape", "everything", "show all", key_display="esc", show=False),
        *TURNS,
    ]

    frame: reactive[Frame | None] = reactive(None)

    def __init__(self, footer: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._around = Surround(FleetScreen.frame, lambda: ["Fleet"], footer, panels.surround)

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield from self._around.compose(
            Drawn(panels.top).data_bind(FleetScreen.frame),
            Drawn(panels.strip_of_phases).data_bind(FleetScreen.frame),
            Drawn(self._narrowed, id="narrowed").data_bind(FleetScreen.frame),
            Finder(self._engines),
            TransfersTable().data_bind(FleetScreen.frame),
            Drawn(panels.line_of_engines).data_bind(FleetScreen.frame),
        )

    def show_only(self, text: str) -> None:
        """See the transfers that fit this filter."""
        self.query_one(Finder).set_filter(text)

    def action_find(self) -> None:
        """Let one type what to see."""
        self.query_one(Finder).open()
        self._redraw()

    def action_everything(self) -> None:
        """Hide nothing any more."""
        table = self.query_one(TransfersTable)
        if table.choice.only_marked:
            table.action_only_marked()
        else:
            self.query_one(Finder).set_filter("")

    def on_finder_sought(self, message: Finder.Sought) -> None:
        """See what fits."""
        self.query_one(TransfersTable).seek(message.wanted)

    def on_finder_left(self) -> None:
        """The keys are the table's again."""
        self.query_one(TransfersTable).focus()
        self._redraw()

    def on_finder_typed(self) -> None:
        """What is typed has changed, even where it cannot be understood."""
        self._redraw()

    def on_transfers_table_narrowed(self) -> None:
        """Say how much is seen."""
        self._redraw()

    def _redraw(self) -> None:
        self.query_one("#narrowed", Drawn).watch_frame(self.frame)

    def _engines(self) -> list[str]:
        names = self.frame.snapshot.engines if self.frame is not None else ()
        return [engine.name for engine in names]

    def _narrowed(self, frame: Frame) -> list[Text]:
        """What is hidden, where anything is."""
        table, look = self.query_one(TransfersTable), frame.look
        whole = frame.snapshot.totals.waiting
        lines = self.query_one(Finder).line(frame, table.shown, whole)
        if table.choice.only_marked:
            items = [
                piece("MARKED", look.style("muted", bold=True)),
                piece(f"{len(table.choice.marked):,} marked, {table.shown:,} in flight", ""),
                piece("M shows all", look.style("muted")),
            ]
            lines.append(Text(" ").append_text(flow(items, frame.width - 2, gap=2)))
        return lines
