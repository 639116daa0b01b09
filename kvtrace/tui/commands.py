"""What the command palette offers: every screen, every theme, every key that does something."""

from collections.abc import Iterator

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from kvtrace.tui.header import TABS
from kvtrace.tui.shown import bindings, key_of
from kvtrace.tui.themes import PALETTES

_MOVES = ("move(", "page(", "top", "bottom", "across(", "walk(", "app.go(", "go(")
"""Actions that nobody looks for by name, or that stand above the others."""

_SAID = 28
"""Cells for what a command does, before its key."""


class Commands(Provider):
    """Words for all that can be done from where one is."""

    async def discover(self) -> Hits:
        """All of them, before anything is typed."""
        for said, action, key in self._every():
            yield DiscoveryHit(_with_key(Content(said), key), self._runs(action), said)

    async def search(self, query: str) -> Hits:
        """Those that look like what is typed."""
        matcher = self.matcher(query)
        for said, action, key in self._every():
            score = matcher.match(said)
            if score > 0:
                found = _with_key(matcher.highlight(said), key)
                yield Hit(score, found, self._runs(action), said)

    def _every(self) -> Iterator[tuple[str, str, str]]:
        """What it is called, its action, and its key."""
        for number, tab in enumerate(TABS, 1):
            yield f"go to {tab.lower()}", f"app.go('{tab}')", str(number)
        for name in PALETTES:
            yield f"theme {name}", f"app.set_theme('{name}')", ""
        focused = self.focused
        nodes = [focused] if focused is not None else []
        seen = set()
        for node in (*nodes, self.screen, self.app):
            lead = {self.app: "app.", self.screen: "screen."}.get(node, "focused.")
            for binding in bindings(type(node)):
                moves = binding.action.startswith(_MOVES)
                if binding.description and not moves and binding.description not in seen:
                    seen.add(binding.description)
                    action = binding.action.removeprefix("app.")
                    lead_of = "app." if binding.action.startswith("app.") else lead
                    yield binding.description, lead_of + action, key_of(binding)

    def _runs(self, action: str) -> "_Run":
        return _Run(self, action)


def _with_key(said: Content, key: str) -> Content:
    """What a command does, with its key in a column beside it."""
    return said.pad_right(max(_SAID - said.cell_length, 1)).append(key)


class _Run:
    """Runs an action where one was before the palette was opened."""

    def __init__(self, provider: Provider, action: str) -> None:
        self._provider = provider
        self._action = action

    async def __call__(self) -> None:
        """Do it."""
        focused = self._provider.focused
        action = self._action
        if action.startswith("focused.") and focused is not None:
            await self._provider.app.run_action(action.removeprefix("focused."), focused)
        else:
            await self._provider.app.run_action(action, self._provider.screen)
