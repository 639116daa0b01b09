"""What engines, places, links and transfers are called on screen."""

from kvtrace.model import Link, Place
from kvtrace.snapshot import Snapshot
from kvtrace.tui.look import Look
from kvtrace.tui.text import cells, cut

LONGEST = 12
"""Cells that an engine's name may take in a column."""


class Names:
    """The names that a snapshot gives; an engine without one is called by its id."""

    def __init__(self, snapshot: Snapshot, look: Look) -> None:
        self._look = look
        lines = {engine.id: engine.name for engine in snapshot.engines}
        self._names = {**snapshot.names, **lines}
        widest = max((cells(self.engine(key)) for key in self._names), default=2)
        self.place_width = widest + len(" scheduler")
        self.link_width = 2 * widest + 2 + cells(look.glyphs.arrow)

    def engine(self, key: str) -> str:
        """The engine's name, `?` for one not heard of."""
        name = self._names.get(key, key) or self._look.glyphs.unseen
        return cut(self._look.words(name), LONGEST, self._look.glyphs.cut)

    def place(self, place: Place | None) -> str:
        """`P1 rank 1`, `D0 scheduler`, `?` for one that cannot be known."""
        if place is None:
            return self._look.glyphs.unseen
        where = "scheduler" if place.is_scheduler else f"rank {place.rank}"
        name = self.engine(place.engine) if place.engine else str(place.role)
        return f"{name} {where}"

    def link(self, link: Link) -> str:
        """`P1 → D3`."""
        producer, consumer = self.engine(link.producer), self.engine(link.consumer)
        return f"{producer} {self._look.glyphs.arrow} {consumer}"

    def transfer(self, name: str, width: int) -> str:
        """The transfer's id cut at its end to so many cells."""
        name = self._look.words(name)
        if cells(name) > width and name.startswith("chatcmpl-"):
            name = "chat-" + name.removeprefix("chatcmpl-")
        return cut(name, width, self._look.glyphs.cut)
