"""The line in which one types what to see: completed as one types, and told plainly if wrong."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input

from kvtrace.filters import ALL, Filter, Problem, complete, parse
from kvtrace.tui.frame import Frame
from kvtrace.tui.text import cut, flow, piece

Engines = Callable[[], Sequence[str]]


class _Completing(Suggester):
    """Offers the likeliest end of what is typed."""

    def __init__(self, engines: Engines) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._engines = engines

    async def get_suggestion(self, value: str) -> str | None:
        """What the text could become."""
        found = complete(value, self._engines())
        return next((one for one in found if one.startswith(value)), None)


class Finder(Input):
    """One line, hidden until it is opened; tells each filter that can be understood."""

    DEFAULT_CSS = """
    Finder {
        height: 1; border: none; padding: 0 1; display: none;
        background: $surface; color: $foreground;
    }
    Finder:focus { border: none; background-tint: $foreground 0%; }
    Finder.open { display: block; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete", show=False),
        Binding("escape", "leave", show=False),
        Binding("up,down", "settle", show=False),
    ]

    class Sought(Message):
        """What is to be seen has changed."""

        def __init__(self, wanted: Filter) -> None:
            super().__init__()
            self.wanted = wanted

    class Typed(Message):
        """What is typed has changed, also where it cannot be understood."""

    class Left(Message):
        """It is closed, and whoever had the keys before gets them back."""

    def __init__(self, engines: Engines) -> None:
        super().__init__(suggester=_Completing(engines))
        self._engines = engines
        self.cursor_blink = False
        self.wanted = ALL
        """The last filter that could be understood."""

        self.problem = ""

    @property
    def is_open(self) -> bool:
        """Whether one types in it."""
        return self.has_class("open")

    def open(self) -> None:
        """Let one type."""
        self.add_class("open")
        self.focus()

    def set_filter(self, text: str) -> None:
        """See what fits this text, without opening."""
        self.value = text
        self._seek(text)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Seek while one types."""
        event.stop()
        self._seek(event.value)
        self.post_message(self.Typed())

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Keep the filter."""
        event.stop()
        self.action_settle()

    def action_settle(self) -> None:
        """Keep the filter that was understood last."""
        self.value = self.wanted.text
        self._close()

    def action_leave(self) -> None:
        """See everything again."""
        self.value = ""
        self._seek("")
        self._close()

    def action_complete(self) -> None:
        """Take the likeliest end of the last word."""
        found = complete(self.value, self._engines())
        if found:
            self.value = found[0]
            self.cursor_position = len(self.value)

    def on_blur(self, event: events.Blur) -> None:
        """Close when the keys go elsewhere, as by a click."""
        self.remove_class("open")

    def _seek(self, text: str) -> None:
        found = parse(text)
        self.problem = found.said if isinstance(found, Problem) else ""
        if isinstance(found, Filter) and found.text != self.wanted.text:
            self.wanted = found
            self.post_message(self.Sought(found))

    def _close(self) -> None:
        self.remove_class("open")
        self.problem = ""
        self.post_message(self.Left())

    def line(self, frame: Frame, shown: int, whole: int) -> list[Text]:
        """The line above it: what is wrong, what it could become, or how much is hidden."""
        look = frame.look
        if not self.is_open and not self.wanted.tests:
            return []
        items = [piece("FILTER", look.style("muted", bold=True))]
        if not self.is_open:
            said = cut(look.words(self.wanted.text), frame.width // 2, look.glyphs.cut)
            items.append(piece(said, look.style("strong")))
        elif self.problem:
            items.append(piece(look.words(self.problem), look.style("slow")))
        if not self.problem:
            items.append(piece(f"{shown:,} of {whole:,} shown", look.style("text")))
        items += self._offers(frame) if self.is_open else []
        if not self.is_open:
            items.append(piece("esc shows all", look.style("muted")))
        return [Text(" ").append_text(flow(items, frame.width - 2, gap=2))]

    def _offers(self, frame: Frame) -> list[Text]:
        look, typed = frame.look, self.value
        if not typed:
            example = "phase:write  age>30s  P1>D3  outcome:failed  -71cf  !"
            return [piece(f"like {example}", look.style("muted"))]
        found = complete(typed, self._engines())[:6]
        offers = [look.words(one.rpartition(" ")[2]) for one in found]
        if not offers:
            return []
        lead = piece("tab ", look.style("strong"))
        return [lead.append("  ".join(offers), look.style("muted"))]
