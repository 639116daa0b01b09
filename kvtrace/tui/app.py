"""The terminal app: shows the snapshots of an iterator until one quits."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from datetime import tzinfo
from threading import Event
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.command import Provider
from textual.reactive import var
from textual.timer import Timer

from kvtrace import words
from kvtrace.playback import Playback
from kvtrace.seeking import Position, target
from kvtrace.snapshot import Snapshot
from kvtrace.tui import driving, export, themes
from kvtrace.tui.clipboard import Copied
from kvtrace.tui.commands import Commands
from kvtrace.tui.dress import Dress
from kvtrace.tui.event_screen import EventsScreen
from kvtrace.tui.explain_screen import Explained
from kvtrace.tui.feed import Feed, FeedEnded, SnapshotTaken
from kvtrace.tui.frame import Frame
from kvtrace.tui.going import GoScreen
from kvtrace.tui.header import TABS
from kvtrace.tui.holding import Holding
from kvtrace.tui.picking import Wanted
from kvtrace.tui.preferences import NO_TRACE_URL, Preferences, trace_url
from kvtrace.tui.scrubbing import Scrubber
from kvtrace.tui.subjects import holder
from kvtrace.tui.surround import Header
from kvtrace.tui.table import TransfersTable
from kvtrace.tui.tour import Tour
from kvtrace.tui.track import track
from kvtrace.tui.transfer import TransferScreen
from kvtrace.tui.trouble import NoTrouble

FRAME = 0.1
"""Seconds between two drawings at least."""


NOTICE = 5
"""Seconds for which a notice stands."""

KEYS = (
    Binding("question_mark", "help", "help", key_display="?"),
    Binding("q", "quit", "quit"),
    Binding("ctrl+c", "quit", "quit", show=False, priority=True),
    *(
        Binding(str(number), f"go('{tab}')", tab.lower(), show=False)
        for number, tab in enumerate(TABS, 1)
    ),
    Binding("space", "pause", "pause"),
    *driving.BINDINGS,
    Binding("colon", "command_palette", "commands", key_display=":", show=False),
    Binding("r", "times", "local, UTC, how long ago", show=False),
    Binding("t", "theme", "theme"),
    Binding("x", "export", "export"),
)
"""What keys do on every screen."""


class _Noticing(App[None]):
    """Says things in place of the keys, each for a while."""

    _notice = ""
    _fading: Timer | None = None

    def notice(self, said: str) -> None:
        """Say something in place of the keys, for a while."""
        self._notice = said
        self._show()
        # One said before must not take this one away.
        if self._fading is not None:
            self._fading.stop()
        self._fading = self.set_timer(NOTICE, self._fade)

    def heard_again(self, missed: int | None) -> None:
        """Say for how long a source was lost that has come back."""
        if missed is not None:
            self.notice(f"heard again, {words.wait(missed)} missed")

    def on_no_trouble(self, message: NoTrouble) -> None:
        """Say so."""
        self.notice(message.said)

    def _fade(self) -> None:
        self._notice = ""

    def _show(self) -> None:
        """Draw what is said."""


class KvtraceApp(_Noticing):
    """Fleet, one transfer, help; over an iterator of snapshots that a thread walks."""

    CSS_PATH = "kvtrace.tcss"
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {Commands}
    COMMAND_PALETTE_BINDING = "ctrl+p"
    TITLE = "kvtrace"
    BINDINGS: ClassVar[list[BindingType]] = list(KEYS)

    frame: var[Frame | None] = var(None)

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

        self.asides: deque[str] = deque()
        """What others have to say meanwhile, the oldest first; any thread may add to it."""

        self._source = source
        self._playback = playback
        self._dress = Dress(environ, zone)
        self._known = Holding(source, playback)
        self._feed = Feed(snapshots, self.post_message)
        self._notice = ""
        self._tour = Tour(self, KEYS, lambda: self.frame, replays=playback is not None)
        for theme in themes.themes():
            self.register_theme(theme)
        self.prefer(Preferences())

    def prefer(self, preferences: Preferences, complaint: str = "") -> None:
        """Look as a person has settled; `complaint` says what is wrong with the settings."""
        self._dress.prefer(preferences)
        self.theme = themes.textual_name(preferences.theme)
        self._notice = complaint

    def on_mount(self) -> None:
        """Show the first screen, and begin to walk the snapshots."""
        self._show()
        self._tour.start()
        self.set_interval(FRAME, self._tick)
        self._feed.start()

    def on_unmount(self) -> None:
        """End the thread."""
        if self._playback is not None:
            self._playback.stop()
        self._feed.stop()

    def on_snapshot_taken(self, message: SnapshotTaken) -> None:
        """Keep it for the next drawing; the first is drawn at once."""
        self.heard_again(self._known.missed(message.snapshot))
        if self._known.take(message.snapshot):
            self._show()

    def on_feed_ended(self, message: FeedEnded) -> None:
        """Say on screen that there is no more, and why."""
        self._known.end(message.reason)
        self._show()

    def watch_frame(self, frame: Frame | None) -> None:
        """Let it be drawn."""
        self._tour.give(frame)

    def action_go(self, tab: str) -> None:
        """Show the screen that a digit leads to, from wherever one is."""
        self._tour.go(tab)

    def action_turn(self, by: int) -> None:
        """Show the next such screen."""
        self._tour.turn(by)

    def on_header_chosen(self, message: Header.Chosen) -> None:
        """Go where a click leads."""
        self._tour.go(message.tab)

    def action_help(self) -> None:
        """Show the keys and the words, or go back from there."""
        self._tour.help()

    def on_transfers_table_opened(self, message: TransfersTable.Opened) -> None:
        """Show the transfer by itself."""
        self._tour.transfer(message.key)

    def on_wanted(self, message: Wanted) -> None:
        """Show these transfers."""
        self._tour.find(message.text)

    def on_explained(self, message: Explained) -> None:
        """Show the page of the cause."""
        self._tour.explain(message.cause)

    def on_events_screen_opened(self, message: EventsScreen.Opened) -> None:
        """Show the transfer of the event, where it is still known."""
        key = holder(self._known.latest, message.record)
        if key is None:
            self.notice("no transfer is known any more that this event belongs to")
        else:
            self._tour.transfer(key)

    def on_transfer_screen_browsed(self, message: TransferScreen.Browsed) -> None:
        """Show its trace in a browser, or give its address."""
        url = trace_url(self._dress.preferences, message.trace)
        if url and self.is_web:
            self.open_url(url)
        self._copy(url) if url else self.notice(NO_TRACE_URL)

    def on_copied(self, message: Copied) -> None:
        """Put it on the clipboard."""
        self._copy(message.text)

    def on_resize(self) -> None:
        """Fit what is shown to the new size."""
        self._show()

    def action_pause(self) -> None:
        """Hold the picture, or a replay's time; or let it go on."""
        self._known.pause()
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
        """Go to the next theme."""
        self.theme = themes.after(self.theme)
        self.notice(f"theme {themes.name_of(self.theme)}")

    def action_set_theme(self, name: str) -> None:
        """Go to that theme."""
        self.theme = themes.textual_name(name)
        self._show()

    def action_times(self) -> None:
        """Tell times of day as they are here, then as UTC, then events by how long ago."""
        self.notice(self._dress.turn_times())

    def action_export(self) -> None:
        """Write what is on screen to the working directory."""
        seen = self._tour.seen
        if seen is None:
            return
        wall = self._known.shown.wall
        name = export.stem(seen.query_one(Header).path, words.time_of_day(wall, self._dress.zone))
        drawn = self.export_screenshot(), export.as_text(seen)
        self.notice(export.write(*drawn, name, export.places()))

    def _copy(self, text: str) -> None:
        self.copy_to_clipboard(words.clean(text))
        self.notice(f"copied {text}")

    def _tick(self) -> None:
        if self.left.is_set():
            self.exit()
        if self.asides and not self._notice:
            self.notice(self.asides.popleft())
        self._show()
        # One that was behind another was given nothing meanwhile.
        self._tour.give(self.frame)

    def _show(self) -> None:
        """Make the frame that all screens draw from."""
        self.frame = Frame(
            snapshot=self._known.shown,
            look=self._dress.look(self.theme, colour=not self.no_color),
            width=self.size.width,
            height=self.size.height,
            source=self._source,
            status=self._known.status,
            zone=self._dress.zone,
            relative=self._dress.relative,
            notice=self._notice,
            track=track(self._playback, self._known.latest) if self._playback is not None else None,
        )
