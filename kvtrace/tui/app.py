"""The terminal app: shows the snapshots of an iterator until one quits."""

import os
from collections.abc import Iterator, Mapping
from datetime import tzinfo
from pathlib import Path
from threading import Event
from typing import ClassVar

from textual import on
from textual.app import App
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.reactive import reactive
from textual.screen import Screen
from textual.theme import Theme

from kvtrace import words
from kvtrace.playback import Playback
from kvtrace.seeking import Position, target
from kvtrace.snapshot import Snapshot
from kvtrace.tui import driving, export, pace, terminal
from kvtrace.tui.engine_screen import EnginesScreen
from kvtrace.tui.event_screen import EventsScreen
from kvtrace.tui.feed import Feed, FeedEnded, SnapshotTaken
from kvtrace.tui.fleet import FleetScreen
from kvtrace.tui.frame import NOTHING, Frame, Status
from kvtrace.tui.going import GoScreen
from kvtrace.tui.header import TABS
from kvtrace.tui.help import HelpScreen
from kvtrace.tui.links import LinksScreen
from kvtrace.tui.look import DARK, LIGHT, SIXTEEN, Look, Palette
from kvtrace.tui.scrubbing import Scrubber
from kvtrace.tui.shown import bindings, footer, grouped
from kvtrace.tui.subjects import holder
from kvtrace.tui.surround import Header
from kvtrace.tui.table import TransfersTable
from kvtrace.tui.track import track
from kvtrace.tui.transfer import TransferScreen

FRAME = 0.1
"""Seconds between two drawings at least."""


NOTICE = 5
"""Seconds for which a notice stands."""

FRAMED = (FleetScreen, LinksScreen, EnginesScreen, EventsScreen, TransferScreen, HelpScreen)
"""The screens that draw frames."""

WITH_KEYS = (TransfersTable, FleetScreen, TransferScreen, LinksScreen, EnginesScreen, EventsScreen)
"""What has keys of its own, in the order of the help page."""

Copies = TransfersTable.Copied | TransferScreen.Copied | EnginesScreen.Copied | EventsScreen.Copied


def _theme(name: str, palette: Palette, *, dark: bool) -> Theme:
    return Theme(
        name,
        primary=palette.registration,
        background=palette.background,
        surface=palette.bar,
        panel=palette.selected,
        foreground=palette.text,
        dark=dark,
    )


class KvtraceApp(App[None]):
    """Fleet, one transfer, help; over an iterator of snapshots that a thread walks."""

    CSS_PATH = "kvtrace.tcss"
    ENABLE_COMMAND_PALETTE = False
    TITLE = "kvtrace"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "help", "help", key_display="?"),
        Binding("q", "quit", "quit"),
        Binding("ctrl+c", "quit", "quit", show=False, priority=True),
        *(
            Binding(str(number), f"go('{tab}')", tab.lower(), show=False)
            for number, tab in enumerate(TABS, 1)
        ),
        Binding("space", "pause", "pause"),
        *driving.BINDINGS,
        Binding("t", "theme", "theme"),
        Binding("x", "export", "export"),
    ]

    frame: reactive[Frame | None] = reactive(None)

    def __init__(
        self,
        snapshots: Iterator[Snapshot],
        *,
        source: str,
        playback: Playback | None = None,
        zone: tzinfo | None = None,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        """`source` says what is read; `zone` is that of times of day, local where None."""
        super().__init__()
        self.left = Event()
        """Once it is set, also before the app runs or by a signal, the app ends."""

        self._source = source
        self._playback = playback
        self._zone = zone
        self._glyphs = terminal.glyphs(environ)
        self._many_colours = terminal.has_many_colours(environ)
        self._feed = Feed(snapshots, self.post_message)
        self._latest: Snapshot = NOTHING
        self._held: Snapshot | None = None
        self._end: Status | None = None
        self.register_theme(_theme("kvtrace-dark", DARK, dark=True))
        self.register_theme(_theme("kvtrace-light", LIGHT, dark=False))
        self.theme = "kvtrace-dark"
        self._notice = ""
        self._tab = TABS[0]

    def on_mount(self) -> None:
        """Show the first screen, and begin to walk the snapshots."""
        self._show()
        for tab, screen in self._tabs().items():
            self.install_screen(screen, tab)
        self.action_go(self._tab)
        self.set_interval(FRAME, self._tick)
        self._feed.start()

    def on_unmount(self) -> None:
        """End the thread."""
        if self._playback is not None:
            self._playback.stop()
        self._feed.stop()

    def on_snapshot_taken(self, message: SnapshotTaken) -> None:
        """Keep it for the next drawing; the first is drawn at once."""
        is_first = self._latest is NOTHING
        self._latest = message.snapshot
        if is_first:
            self._show()

    def on_feed_ended(self, message: FeedEnded) -> None:
        """Say on screen that there is no more, and why."""
        self._end = pace.over(message.reason, self._source, self._playback)
        self._held = None
        self._show()

    def watch_frame(self, frame: Frame | None) -> None:
        """Let the screen that is seen draw it; those beneath draw nothing."""
        framed = (screen for screen in reversed(self.screen_stack) if isinstance(screen, FRAMED))
        shown = next(framed, None)
        if shown is not None:
            shown.frame = frame

    def action_go(self, tab: str) -> None:
        """Show the screen that a digit leads to, from wherever one is."""
        while len(self.screen_stack) > 2:
            self.pop_screen()
        self._tab = tab
        if len(self.screen_stack) < 2:
            self.push_screen(tab)
        elif self.screen is not self.get_screen(tab):
            self.switch_screen(tab)
        self.watch_frame(self.frame)

    def action_turn(self, by: int) -> None:
        """Show the next such screen."""
        self.action_go(TABS[(TABS.index(self._tab) + by) % len(TABS)])

    def on_header_chosen(self, message: Header.Chosen) -> None:
        """Go where a click leads."""
        self.action_go(message.tab)

    def action_help(self) -> None:
        """Show the keys and the words, or go back from there."""
        if isinstance(self.screen, HelpScreen):
            self.pop_screen()
            return
        groups = grouped(*(bindings(node) for node in (*WITH_KEYS, KvtraceApp)))
        self._open(HelpScreen(groups, self._keys_of(HelpScreen), opened_from=self._tab))

    def on_transfers_table_opened(self, message: TransfersTable.Opened) -> None:
        """Show the transfer by itself."""
        keys = self._keys_of(TransferScreen)
        self._open(TransferScreen(message.key, keys, opened_from=self._tab))

    def _open(self, screen: HelpScreen | TransferScreen) -> None:
        self.push_screen(screen)
        self.watch_frame(self.frame)

    def _tabs(self) -> dict[str, Screen[None]]:
        """The screens that digits lead to."""
        return {
            "Fleet": FleetScreen(self._keys_of(TransfersTable, FleetScreen)),
            "Links": LinksScreen(self._keys_of(LinksScreen)),
            "Engines": EnginesScreen(self._keys_of(EnginesScreen)),
            "Events": EventsScreen(self._keys_of(EventsScreen)),
        }

    def on_links_screen_opened(self, message: LinksScreen.Opened) -> None:
        """Show the transfers of the link."""
        ends = (self._named(message.producer), self._named(message.consumer))
        self._find("link:" + ">".join(ends))

    def on_engines_screen_opened(self, message: EnginesScreen.Opened) -> None:
        """Show the transfers of the engine."""
        self._find(f"engine:{self._named(message.engine)}")

    def on_events_screen_opened(self, message: EventsScreen.Opened) -> None:
        """Show the transfer of the event, where it is still known."""
        key = holder(self._latest, message.record)
        if key is None:
            self.notice("no transfer is known any more that this event belongs to")
        else:
            self._open(TransferScreen(key, self._keys_of(TransferScreen), opened_from=self._tab))

    @on(TransfersTable.Copied)
    @on(TransferScreen.Copied)
    @on(EnginesScreen.Copied)
    @on(EventsScreen.Copied)
    def _copy_told(self, message: Copies) -> None:
        self._copy(message.text)

    def _named(self, engine: str) -> str:
        return self._latest.names.get(engine, engine)

    def _find(self, text: str) -> None:
        """Show the fleet, and of it only what fits."""
        self.action_go(TABS[0])
        fleet = self.get_screen(TABS[0])
        if isinstance(fleet, FleetScreen):
            self.call_after_refresh(fleet.show_only, text)

    def on_resize(self) -> None:
        """Fit what is shown to the new size."""
        self._show()

    def action_pause(self) -> None:
        """Hold the picture, or a replay's time; or let it go on."""
        if self._end is not None:
            return
        if self._playback is None:
            self._held = self._latest if self._held is None else None
        elif self._playback.paused:
            self._playback.resume()
        else:
            self._playback.pause()
        self._show()

    def action_drive(self, what: str) -> None:
        """Do with a replay what the key says."""
        if self._playback is not None:
            driving.drive(self._playback, what)
            self._show()

    def action_go_to(self) -> None:
        """Let one type where in a replay to go."""
        if self._playback is not None:
            self.push_screen(GoScreen(), self._go_to)

    def _go_to(self, place: str | None) -> None:
        if self._playback is not None and place:
            self._playback.go(target(place))

    def on_scrubber_sought(self, message: Scrubber.Sought) -> None:
        """Go where a click on the bar leads."""
        if self._playback is not None:
            self._playback.go(Position(message.position))

    def action_theme(self) -> None:
        """Go from dark to light, and back."""
        self.theme = "kvtrace-light" if self.current_theme.dark else "kvtrace-dark"
        self._show()

    def action_export(self) -> None:
        """Write what is on screen to the working directory."""
        time = words.time_of_day(self._latest.wall, self._zone).replace(":", "")
        stem = Path(f"kvtrace-{time}")
        self.notice(export.write(self.export_screenshot(), export.as_text(self.screen), stem))

    def notice(self, said: str) -> None:
        """Say something in place of the keys, for a while."""
        self._notice = said
        self._show()
        self.set_timer(NOTICE, self._fade)

    def _keys_of(self, *nodes: type[DOMNode]) -> list[tuple[str, str]]:
        """What the footer says while these are on screen."""
        keys = footer(bindings(KvtraceApp), [one for node in nodes for one in bindings(node)])
        return keys if self._playback is None else driving.footer(keys)

    def _copy(self, text: str) -> None:
        self.copy_to_clipboard(words.clean(text))
        self.notice(f"copied {text}")

    def _fade(self) -> None:
        self._notice = ""

    def _tick(self) -> None:
        if self.left.is_set():
            self.exit()
        self._show()

    def _show(self) -> None:
        """Make the frame that all screens draw from."""
        self.frame = Frame(
            snapshot=self._held or self._latest,
            look=self._look(),
            width=self.size.width,
            height=self.size.height,
            source=self._source,
            status=self._status(),
            zone=self._zone,
            notice=self._notice,
            track=track(self._playback, self._latest) if self._playback is not None else None,
        )

    def _status(self) -> Status:
        if self._end is not None:
            return self._end
        if self._playback is not None:
            return pace.replay(self._playback)
        return pace.live(self._latest, self._held)

    def _look(self) -> Look:
        palette = DARK if self.current_theme.dark else LIGHT
        if not self._many_colours:
            palette = SIXTEEN
        return Look(palette, self._glyphs, not self.no_color)
