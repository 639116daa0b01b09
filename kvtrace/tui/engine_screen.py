"""The screen that says what each engine is, and whether two that must be alike are not."""

from collections.abc import Container, Sequence

from rich.text import Text

from kvtrace.tui import engine_page
from kvtrace.tui.clipboard import Copied
from kvtrace.tui.frame import Frame
from kvtrace.tui.picking import PickingScreen


class EnginesScreen(PickingScreen[str]):
    """A row for each engine; below, all that the one under the cursor told of itself."""

    CALM = "no engine is waited for or unwell"
    EMPTY = "no engine is heard yet"

    def __init__(self, footer: Sequence[tuple[str, str]]) -> None:
        super().__init__("Engines", footer)

    def every(self, frame: Frame) -> list[str]:
        """The ids of all engines."""
        return [one.id for one in engine_page.ordered(frame)]

    def troubled(self, frame: Frame) -> Container[str]:
        """Those that are waited for, or not well."""
        return {one.id for one in frame.snapshot.engines if engine_page.is_trouble(one)}

    def row_at(self, frame: Frame, room: int, y: int) -> str | None:
        """The engine on that line."""
        return engine_page.row_at(frame, self.selected, room, y)

    def filter_of(self, frame: Frame, picked: str) -> str:
        """By the engine's short name."""
        return f"engine:{frame.snapshot.names.get(picked, picked)}"

    def lines(self, frame: Frame, room: int) -> list[Text]:
        """The table, and the facts."""
        return engine_page.page(frame, self.selected, room)

    def action_copy(self) -> None:
        """Put the engine's id on the clipboard."""
        if self.selected is not None:
            self.post_message(Copied(self.selected))
        else:
            self.say_empty()
