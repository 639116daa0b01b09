"""The screen that says whether anything is stuck, and where."""

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.reactive import var
from textual.screen import Screen

from kvtrace.tui import panels, preview
from kvtrace.tui.drawn import Drawn
from kvtrace.tui.filling import Filling
from kvtrace.tui.finder import Finder
from kvtrace.tui.frame import Frame
from kvtrace.tui.phase_strip import PhaseStrip
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

    frame: var[Frame | None] = var(None)

    def __init__(self, footer: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._around = Surround(FleetScreen.frame, lambda: ["Fleet"], footer, panels.surround)

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield from self._around.compose(
            Drawn(panels.top).data_bind(FleetScreen.frame),
            PhaseStrip().data_bind(FleetScreen.frame),
            Drawn(self._narrowed, id="narrowed").data_bind(FleetScreen.frame),
            Finder(self._engines),
            Horizontal(
                TransfersTable().data_bind(FleetScreen.frame),
                Filling(self._preview, id="preview").data_bind(FleetScreen.frame),
            ),
            Drawn(self._below, id="below").data_bind(FleetScreen.frame),
            Drawn(panels.line_of_engines).data_bind(FleetScreen.frame),
        )

    def on_mount(self) -> None:
        """Make room also for what was given before."""
        self.watch_frame(self.frame)

    def watch_frame(self, frame: Frame | None) -> None:
        """Make room for the preview, where the terminal is large."""
        if frame is None or not self.is_mounted:
            return
        # One that is being closed is mounted, and may have nothing in it any more.
        for beside in self.query("#preview").results(Filling):
            beside.display = preview.width(frame) > 0
            beside.styles.width = preview.width(frame)

    def on_transfers_table_above(self) -> None:
        """The keys go from the first transfer to the phases."""
        self.query_one(PhaseStrip).enter()

    def on_phase_strip_left(self) -> None:
        """The keys are the table's again."""
        self.query_one(TransfersTable).focus()

    def on_phase_strip_chosen(self, message: PhaseStrip.Chosen) -> None:
        """See that phase alone; where it is seen alone already, everything."""
        text, finder = f"phase:{message.phase.value}", self.query_one(Finder)
        finder.set_filter("" if finder.wanted.text == text else text)
        self.query_one(TransfersTable).focus()

    def _preview(self, frame: Frame, room: int) -> list[Text]:
        item = self.query_one(TransfersTable).item
        return preview.preview(item, frame, room) if preview.width(frame) else []

    def _below(self, frame: Frame) -> list[Text]:
        return preview.below(self.query_one(TransfersTable).item, frame)

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

    def on_transfers_table_changed(self) -> None:
        """Say how much is seen, and show what is under the cursor now."""
        self._redraw()
        self.query_one("#preview", Filling).redraw()
        self.query_one("#below", Drawn).watch_frame(self.frame)

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
