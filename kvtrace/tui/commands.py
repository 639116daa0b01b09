"""What the command palette offers: every screen, every theme, every key that does something."""

from collections.abc import Iterator

from textual.command import DiscoveryHit, Hit, Hits, Provider

from kvtrace.tui.header import TABS
from kvtrace.tui.shown import bindings
from kvtrace.tui.themes import PALETTES


class Commands(Provider):
    """Words for all that can be done from where one is."""

    async def discover(self) -> Hits:
        """All of them, before anything is typed."""
        for said, action, what in self._every():
            yield DiscoveryHit(said, self._runs(action), help=what)

    async def search(self, query: str) -> Hits:
        """Those that look like what is typed."""
        matcher = self.matcher(query)
        for said, action, what in self._every():
            score = matcher.match(said)
            if score > 0:
                yield Hit(score, matcher.highlight(said), self._runs(action), help=what)

    def _every(self) -> Iterator[tuple[str, str, str]]:
        """What it is called, its action, and what to know of it."""
        for tab in TABS:
            yield f"go to {tab.lower()}", f"app.go('{tab}')", ""
        for name in PALETTES:
            yield f"theme {name}", f"app.set_theme('{name}')", ""
        focused = self.focused
        nodes = [focused] if focused is not None else []
        seen = set()
        for node in (*nodes, self.screen, self.app):
            lead = {self.app: "app.", self.screen: "screen."}.get(node, "focused.")
            for binding in bindings(type(node)):
                if binding.description and binding.description not in seen:
                    seen.add(binding.description)
                    action = binding.action.removeprefix("app.")
                    lead_of = "app." if binding.action.startswith("app.") else lead
                    key = binding.key_display or binding.key
                    yield binding.description, lead_of + action, f"key {key}"

    def _runs(self, action: str) -> "_Run":
        return _Run(self, action)


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
