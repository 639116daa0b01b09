"""What is drawn anew: the lines that changed, and no others."""

import gc
from collections.abc import Callable

import msgspec
from rich.text import Text
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.strip import Strip

from kvtrace.tui.frame import Frame
from kvtrace.tui.lined import Line, Lined
from kvtrace.tui.look import LIGHT, Look
from kvtrace.tui.per_frame import per_frame


class Noting(Lined):
    """Notes which lines it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[int] = []

    def render_line(self, y: int) -> Strip:
        self.asked.append(y)
        return super().render_line(y)


class OneWidget(App[None]):
    def compose(self) -> ComposeResult:
        yield Noting()


def texts(*lines: str) -> list[Text]:
    return [Text().append(line, "bold") for line in lines]


async def drawn_for(change: Callable[[Noting], None]) -> list[int]:
    """The lines that were asked for once that was done, where `a`, `b` and `c` stood before."""
    app = OneWidget()
    async with app.run_test(size=(20, 3)) as pilot:
        widget = app.query_one(Noting)
        widget.frame = Frame()
        widget.put(texts("a", "b", "c"))
        await pilot.pause(0.05)
        widget.asked.clear()
        change(widget)
        await pilot.pause(0.05)
        return sorted(set(widget.asked))


async def test_only_a_line_that_changed_is_drawn_anew() -> None:
    assert await drawn_for(lambda widget: widget.put(texts("a", "B", "c"))) == [1]


async def test_what_is_put_again_is_not_drawn() -> None:
    assert await drawn_for(lambda widget: widget.put(texts("a", "b", "c"))) == []


async def test_a_line_of_another_style_is_drawn() -> None:
    def restyle(widget: Noting) -> None:
        widget.put([*texts("a", "b"), Text().append("c", "dim")])

    assert await drawn_for(restyle) == [2]


async def test_lines_that_are_no_more_are_drawn_blank() -> None:
    assert await drawn_for(lambda widget: widget.put(texts("a"))) == [1, 2]


async def test_under_another_theme_everything_is_drawn() -> None:
    def change(widget: Noting) -> None:
        widget.frame = Frame(look=Look(LIGHT))
        widget.put(texts("a", "b", "c"))

    assert await drawn_for(change) == [0, 1, 2]


async def test_a_part_of_the_screen_is_drawn_by_parts() -> None:
    app = OneWidget()
    async with app.run_test(size=(20, 3)):
        widget = app.query_one(Noting)
        widget.put(texts("a", "b", "c"))
        strips = widget.render_lines(Region(0, 1, 20, 2))
    assert [strip.text.rstrip() for strip in strips] == ["b", "c"]


def test_what_several_drawings_need_is_worked_out_once_a_frame() -> None:
    worked_out = []

    def width(frame: Frame) -> int:
        worked_out.append(frame.width)
        return frame.width

    known = per_frame(width)
    frame = Frame(width=80)
    wider = msgspec.structs.replace(frame, width=120)
    assert [known(frame), known(frame), known(wider), known(wider)] == [80, 80, 120, 120]
    assert worked_out == [80, 120]


async def test_a_line_that_was_drawn_is_freed_as_soon_as_another_stands_in_its_place() -> None:
    app = OneWidget()
    gc.collect()
    gc.disable()
    try:
        async with app.run_test(size=(20, 3)) as pilot:
            widget = app.query_one(Noting)
            widget.frame = Frame()
            for number in range(20):
                widget.put(texts(f"a {number}", "x" * 20, "c"))
                await pilot.pause(0.02)
            assert sum(type(one) is Line for one in gc.get_objects()) <= 3
    finally:
        gc.enable()
