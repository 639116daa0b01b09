"""The screen that says which pair of engines is slow."""

from collections.abc import Sequence
from typing import ClassVar

import msgspec
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.reactive import var
from textual.screen import Screen

from kvtrace.tui import grid, matrix, moving
from kvtrace.tui.filling import Filling
from kvtrace.tui.frame import Frame
from kvtrace.tui.link_page import LinksPage, page
from kvtrace.tui.matrix import SHOWS, Seen
from kvtrace.tui.picking import Wanted
from kvtrace.tui.surround import TURNS, Surround
from kvtrace.tui.trouble import NoTrouble

FAR = 4096
"""Cells, more than there are."""


class LinksScreen(Screen[None]):
    """Producers down, consumers across; below, what is known of the link under the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *moving.DOWN_AND_UP,
        Binding("h,left", "across(-1)", "left", key_display="h ←", show=False),
        Binding("l,right", "across(1)", "right", key_display="l →", show=False),
        *moving.ENDS,
        moving.OPEN,
        Binding("escape", "back", "back", key_display="esc", show=False),
        *moving.TROUBLE,
        Binding("z", "ranks", "ranks"),
        Binding("s", "show", "other numbers"),
        *TURNS,
    ]

    frame: var[Frame | None] = var(None)

    def __init__(self, footer: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._seen = Seen()
        self._drawn: LinksPage | None = None
        self._around = Surround(LinksScreen.frame, self._path, footer)

    def compose(self) -> ComposeResult:
        """From top to bottom."""
        yield from self._around.compose(Filling(self._draw).data_bind(LinksScreen.frame))

    @property
    def selected(self) -> grid.At | None:
        """Producer and consumer of the link under the cursor."""
        return self._seen.cursor

    def action_move(self, by: int) -> None:
        """Go so many cells down."""
        self._move(by, 0)

    def action_across(self, by: int) -> None:
        """Go so many cells to the right."""
        self._move(0, by)

    def action_page(self, by: int) -> None:
        """Go ten cells down, or up."""
        self._move(10 * by, 0)

    def action_top(self) -> None:
        """Go to the first cell."""
        self._move(-FAR, -FAR)

    def action_bottom(self) -> None:
        """Go to the last cell."""
        self._move(FAR, FAR)

    def _move(self, down: int, across: int) -> None:
        drawn = self._drawn
        if drawn is None or not drawn.grid.rows or not drawn.grid.columns:
            return
        rows = [key for key, _ in drawn.grid.rows]
        columns = [key for key, _ in drawn.grid.columns]
        row, column = drawn.grid.cursor or (rows[0], columns[0])
        to = (
            _moved(rows, row, down),
            _moved(columns, column, across),
        )
        self._choose(to)

    def action_trouble(self, by: int) -> None:
        """Go to the next link that is slow or holds stalled transfers, around the end."""
        if self.frame is None:
            return
        lines = matrix.worst_first(self.frame.snapshot.links)
        ends = [(one.link.producer, one.link.consumer) for one in lines if matrix.is_trouble(one)]
        if not ends:
            self.post_message(NoTrouble("no link is slow or holds stalled transfers"))
            return
        at = self._seen.cursor
        index = ends.index(at) + by if at in ends else 0
        self._change(cursor=ends[index % len(ends)], ranks=False)

    def action_ranks(self) -> None:
        """Show the ranks of the link under the cursor, or all links again."""
        self._change(ranks=not self._seen.ranks, rank=None)

    def action_back(self) -> None:
        """From the ranks to all links."""
        self._change(ranks=False)

    def action_show(self) -> None:
        """Let cells show the next thing."""
        after = SHOWS.index(self._seen.show) + 1
        self._change(show=SHOWS[after % len(SHOWS)], ranks=False)

    def action_open(self) -> None:
        """Show the transfers of the link under the cursor."""
        if self._seen.cursor is not None and self.frame is not None:
            names = self.frame.snapshot.names
            ends = [names.get(one, one) for one in self._seen.cursor]
            self.post_message(Wanted("link:" + ">".join(ends)))
        else:
            self.post_message(NoTrouble("no link is known: no transfer went between two engines"))

    def on_click(self, event: events.Click) -> None:
        """Select the link; the one that is selected already is opened."""
        filling = self.query_one(Filling)
        inside = event.get_content_offset(filling)
        if self._drawn is None or inside is None:
            return
        at = self._drawn.at(inside.x, inside.y)
        if at is None:
            return
        if at == self._drawn.grid.cursor and not self._seen.ranks:
            self.action_open()
        else:
            self._choose(at)

    def on_mouse_scroll_down(self) -> None:
        """Go down."""
        self._move(1, 0)

    def on_mouse_scroll_up(self) -> None:
        """Go up."""
        self._move(-1, 0)

    def _choose(self, at: grid.At) -> None:
        if self._seen.ranks:
            self._change(rank=at)
        else:
            self._change(cursor=at)

    def _change(self, **changes: object) -> None:
        self._seen = msgspec.structs.replace(self._seen, **changes)
        self.query_one(Filling).redraw()

    def _path(self) -> list[str]:
        return ["Links"]

    def _draw(self, frame: Frame, room: int) -> list[Text]:
        if self._seen.cursor is None and frame.snapshot.links:
            worst = matrix.worst_first(frame.snapshot.links)[0].link
            self._seen = msgspec.structs.replace(
                self._seen, cursor=(worst.producer, worst.consumer)
            )
        self._drawn = page(frame, self._seen, room)
        return self._drawn.lines


def _moved(keys: list[str], key: str, by: int) -> str:
    at = keys.index(key) if key in keys else 0
    return keys[min(max(at + by, 0), len(keys) - 1)]
