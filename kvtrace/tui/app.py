"""The terminal app: shows the snapshots of an iterator until one quits."""

import os
from collections.abc import Iterator, Mapping
from datetime import tzinfo
from pathlib import Path
from threading import Event
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.reactive import reactive
from textual.theme import Theme

from kvtrace import words
from kvtrace.playback import Playback
from kvtrace.snapshot import Snapshot
from kvtrace.tui import export, pace, terminal
from kvtrace.tui.feed import Feed, FeedEnded, SnapshotTaken
from kvtrace.tui.fleet import FleetScreen
from kvtrace.tui.frame import NOTHING, Frame, Status
from kvtrace.tui.help import HelpScreen
from kvtrace.tui.look import DARK, LIGHT, SIXTEEN, Look, Palette
from kvtrace.tui.shown import bindings, footer, grouped
from kvtrace.tui.table import TransfersTable
from kvtrace.tui.transfer import TransferScreen

FRAME = 0.1
"""Seconds between two drawings at least."""


NOTICE = 5
"""Seconds for which a notice stands."""


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
        Binding("space", "pause", "pause"),
        Binding("left_square_bracket", "slower", "slower", key_display="[", show=False),
        Binding("right_square_bracket", "faster", "faster", key_display="]", show=False),
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

    def on_mount(self) -> None:
        """Show the first screen, and begin to walk the snapshots."""
        self._show()
        fleet = FleetScreen(self._keys_of(TransfersTable))
        self.push_screen(fleet.data_bind(KvtraceApp.frame))
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

    def action_help(self) -> None:
        """Show the keys and the words, or go back from there."""
        if isinstance(self.screen, HelpScreen):
            self.pop_screen()
            return
        groups = grouped(bindings(TransfersTable), bindings(TransferScreen), bindings(KvtraceApp))
        page = HelpScreen(groups, self._keys_of(HelpScreen))
        self.push_screen(page.data_bind(KvtraceApp.frame))

    def on_transfers_table_opened(self, message: TransfersTable.Opened) -> None:
        """Show the transfer by itself."""
        screen = TransferScreen(message.key, self._keys_of(TransferScreen))
        self.push_screen(screen.data_bind(KvtraceApp.frame))

    def on_transfers_table_copied(self, message: TransfersTable.Copied) -> None:
        """Put the id on the clipboard of the terminal."""
        self._copy(message.text)

    def on_transfer_screen_copied(self, message: TransferScreen.Copied) -> None:
        """Put the id on the clipboard of the terminal."""
        self._copy(message.text)

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

    def action_slower(self) -> None:
        """Play a replay slower."""
        if self._playback is not None:
            self._playback.slower()
            self._show()

    def action_faster(self) -> None:
        """Play a replay faster."""
        if self._playback is not None:
            self._playback.faster()
            self._show()

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

    def _keys_of(self, node: type[DOMNode]) -> list[tuple[str, str]]:
        """What the footer says while that is on screen."""
        keys = footer(bindings(KvtraceApp), bindings(node))
        if self._playback is not None:
            keys.insert(keys.index(("space", "pause")), ("[ ]", "speed"))
        return keys

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
