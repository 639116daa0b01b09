"""How the app is dressed: its theme, its signs, and how it tells times."""

from collections.abc import Mapping
from datetime import UTC, tzinfo

from kvtrace.tui import terminal
from kvtrace.tui.glyphs import ASCII
from kvtrace.tui.look import SIXTEEN, Look
from kvtrace.tui.preferences import Preferences
from kvtrace.tui.themes import PALETTES, name_of


class Dress:
    """What a terminal can draw, and what a person wants of it."""

    def __init__(self, environ: Mapping[str, str], zone: tzinfo | None) -> None:
        """`zone` is that of times of day, local where None."""
        self.preferences = Preferences()
        self.zone = zone
        self.relative = False
        """Whether events are told by how long ago they were."""

        self._local = zone
        self._way = 0
        self._glyphs = terminal.glyphs(environ)
        self._many_colours = terminal.has_many_colours(environ)

    def prefer(self, preferences: Preferences) -> None:
        """Dress as a person has settled."""
        self.preferences = preferences
        if preferences.ascii:
            self._glyphs = ASCII

    def look(self, theme: str, *, colour: bool) -> Look:
        """What drawings need to know of it."""
        palette = PALETTES[name_of(theme)] if self._many_colours else SIXTEEN
        return Look(palette, self._glyphs, colour)

    def turn_times(self) -> str:
        """Tell times the next way: as they are here, as UTC, events by how long ago."""
        ways = [(self._local, False), (UTC, False), (self._local, True)]
        said = ("times of day as they are here", "times of day in UTC")
        self._way = (self._way + 1) % len(ways)
        self.zone, self.relative = ways[self._way]
        return (*said, "events by how long ago they were")[self._way]
