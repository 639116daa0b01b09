"""Which screen is seen: leads from one to the next, and gives the frame to that one alone."""

from collections.abc import Callable, Iterable

from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.screen import Screen

from kvtrace.causes import Cause
from kvtrace.tui import driving
from kvtrace.tui.cause_screen import CausesScreen
from kvtrace.tui.engine_screen import EnginesScreen
from kvtrace.tui.event_screen import EventsScreen
from kvtrace.tui.explain_screen import ExplainScreen
from kvtrace.tui.fleet import FleetScreen
from kvtrace.tui.frame import Frame
from kvtrace.tui.header import TABS
from kvtrace.tui.help import HelpScreen
from kvtrace.tui.links import LinksScreen
from kvtrace.tui.shown import bindings, footer, grouped
from kvtrace.tui.table import TransfersTable
from kvtrace.tui.transfer import TransferScreen

Framed = (
    FleetScreen
    | CausesScreen
    | LinksScreen
    | EnginesScreen
    | EventsScreen
    | TransferScreen
    | HelpScreen
    | ExplainScreen
)
FRAMED = (
    FleetScreen,
    CausesScreen,
    LinksScreen,
    EnginesScreen,
    EventsScreen,
    TransferScreen,
    HelpScreen,
    ExplainScreen,
)
"""The screens that draw frames."""

WITH_KEYS: tuple[tuple[str, type[DOMNode]], ...] = (
    ("Fleet", TransfersTable),
    ("Fleet", FleetScreen),
    ("Causes", CausesScreen),
    ("Links", LinksScreen),
    ("Engines", EnginesScreen),
    ("Events", EventsScreen),
    ("Transfer", TransferScreen),
)
"""What has keys of its own, and on which screen, in the order of the help page."""


class Tour:
    """Goes through the screens of an app; `frame` gives what they draw."""

    def __init__(
        self,
        app: App[None],
        own: Iterable[Binding],
        frame: Callable[[], Frame | None],
        *,
        replays: bool,
    ) -> None:
        """`own` are the app's keys; `replays` says whether there is a replay to be driven."""
        self.tab = TABS[0]
        """The screen that a digit led to last."""

        self._app = app
        self._own = tuple(own)
        self._frame = frame
        self._replays = replays

    def start(self) -> None:
        """Make the screens that digits lead to, and show the first."""
        made: dict[str, Screen[None]] = {
            "Fleet": FleetScreen(self._keys(TransfersTable, FleetScreen)),
            "Causes": CausesScreen(self._keys(CausesScreen)),
            "Links": LinksScreen(self._keys(LinksScreen)),
            "Engines": EnginesScreen(self._keys(EnginesScreen)),
            "Events": EventsScreen(self._keys(EventsScreen)),
        }
        for tab in TABS:
            self._app.install_screen(made[tab], tab)
        self.go(self.tab)

    @property
    def seen(self) -> Framed | None:
        """The screen that is seen, also behind a line in which one types."""
        stack = reversed(self._app.screen_stack)
        return next((screen for screen in stack if isinstance(screen, FRAMED)), None)

    def give(self, frame: Frame | None) -> None:
        """Let the screen that is seen draw it; those beneath draw nothing."""
        shown = self.seen
        if shown is not None:
            shown.frame = frame

    def go(self, tab: str) -> None:
        """Show the screen that a digit leads to, from wherever one is."""
        while len(self._app.screen_stack) > 2:
            self._app.pop_screen()
        self.tab = tab
        if len(self._app.screen_stack) < 2:
            self._app.push_screen(tab)
        elif self._app.screen is not self._app.get_screen(tab):
            self._app.switch_screen(tab)
        self.give(self._frame())

    def turn(self, by: int) -> None:
        """Show the next such screen."""
        self.go(TABS[(TABS.index(self.tab) + by) % len(TABS)])

    def help(self) -> None:
        """Show the keys and the words, or go back from there."""
        if isinstance(self._app.screen, HelpScreen):
            self._app.pop_screen()
            return
        groups = grouped([(where, bindings(node)) for where, node in WITH_KEYS], self._own)
        self._open(HelpScreen(groups, self._keys(HelpScreen), opened_from=self.tab))

    def transfer(self, key: str) -> None:
        """Show the transfer with that id by itself."""
        self._open(TransferScreen(key, self._keys(TransferScreen), opened_from=self.tab))

    def explain(self, cause: Cause) -> None:
        """Show the page of a cause."""
        self._open(ExplainScreen(cause, self._keys(ExplainScreen), opened_from=self.tab))

    def find(self, text: str) -> None:
        """Show the fleet, and of it only what fits the filter."""
        self.go(TABS[0])
        fleet = self._app.get_screen(TABS[0])
        if isinstance(fleet, FleetScreen):
            self._app.call_after_refresh(fleet.show_only, text)

    def _open(self, screen: HelpScreen | TransferScreen | ExplainScreen) -> None:
        self._app.push_screen(screen)
        self.give(self._frame())

    def _keys(self, *nodes: type[DOMNode]) -> list[tuple[str, str]]:
        """What the footer says while these are on screen."""
        keys = footer(self._own, [one for node in nodes for one in bindings(node)])
        return driving.footer(keys) if self._replays else keys
