"""Shows snapshots as the options and the terminal ask: on the screen, as lines, or as JSON."""

import functools
import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from threading import Event
from types import FrameType
from typing import Any

import click
import msgspec

from kvtrace.cli import options
from kvtrace.cli.interrupts import die_of, end_with_parent, heard_by
from kvtrace.cli.pictures import write_picture
from kvtrace.cli.settled import settled
from kvtrace.cli.streams import put, tell
from kvtrace.document import encode
from kvtrace.playback import Playback
from kvtrace.report import NO_ENGINE, Reporter, table
from kvtrace.snapshot import Snapshot

SECOND = 1_000_000_000

ASIDES = 8
"""Sentences that wait for the screen; beyond them the oldest are not said."""

DRIVER = "TEXTUAL_DRIVER"
"""The variable that says who else than a terminal draws."""


class Form(Enum):
    """How snapshots are shown."""

    SCREEN = "screen"
    PLAIN = "plain"
    JSON = "json"


class View(msgspec.Struct, frozen=True):
    """What was asked to be seen, and how."""

    form: Form
    once: bool = False
    lines: bool = False
    """Whether lines, or JSON, were asked for where there could be a screen."""

    svg: Path | None = None
    """Where a picture of what is known is to go too."""

    asides: deque[str] = msgspec.field(default_factory=lambda: deque(maxlen=ASIDES))
    """What the screen is still to say."""

    def show(
        self, snapshots: Iterator[Snapshot], source: str, playback: Playback | None = None
    ) -> None:
        """Shows the snapshots until they end, or until no one looks any more."""
        if self.svg is not None:
            _picture(snapshots, source, playback, self)
        elif self.once:
            put(_last(snapshots, self.form))
        elif self.form is Form.SCREEN:
            _screen(snapshots, source, playback, self.asides)
        else:
            put(_documents(snapshots) if self.form is Form.JSON else _reports(snapshots))

    def warn(self, message: str) -> None:
        """Says what went wrong, unless it would be written into the screen."""
        if self.form is not Form.SCREEN or self.once:
            self.say(message)

    def mention(self, message: str) -> None:
        """Says what happened meanwhile: on the screen in its last line, for some seconds."""
        if self.form is Form.SCREEN and not self.once:
            self.asides.append(message)
        else:
            self.say(message)

    def say(self, message: str) -> None:
        """Says what went wrong, once nothing is shown any more."""
        tell(f"kvtrace: {message}")


def view_options(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a subcommand the options of a view, and the view that they ask for as `view`."""

    @click.option("--plain", is_flag=True, help="Lines of text instead of the screen.")
    @click.option("--json", "as_json", is_flag=True, help="One JSON object a line, once a second.")
    @click.option("--once", is_flag=True, help="How things stand, once, and no more.")
    @click.option(
        "--svg",
        metavar="FILE",
        type=options.FILE,
        help="With --once, also a picture of the screen, as SVG.",
    )
    @functools.wraps(command)
    def viewed(
        plain: bool, as_json: bool, once: bool, svg: Path | None = None, **others: Any
    ) -> None:
        if plain and as_json:
            raise click.UsageError("--plain and --json exclude each other")
        if svg is not None and not once:
            raise click.UsageError("--svg needs --once: on the screen, x makes a picture")
        command(view=View(form(plain, as_json), once, plain or as_json, svg), **others)

    return viewed


def form(
    plain: bool,
    as_json: bool,
    *,
    terminal: bool | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Form:
    """What was asked for, else the screen where there is one."""
    if as_json:
        return Form.JSON
    if environ.get(DRIVER) and not plain:
        # Someone else draws, as a server does for a browser.
        return Form.SCREEN
    if terminal is None:
        # The screen reads keys from the first, and Textual draws on the last.
        terminal = all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))
    dumb = environ.get("TERM", "dumb") == "dumb"
    return Form.PLAIN if plain or dumb or not terminal else Form.SCREEN


def _last(snapshots: Iterable[Snapshot], shape: Form) -> Iterator[str]:
    for last in deque(snapshots, maxlen=1):
        if shape is not Form.JSON:
            yield from table(last)
            return
        if not last.engines:
            tell(NO_ENGINE)
        yield encode(last)


def _picture(
    snapshots: Iterable[Snapshot], source: str, playback: Playback | None, view: View
) -> None:
    """The picture, and then the last of them as lines, or as JSON."""
    for last in deque(snapshots, maxlen=1):
        if view.svg is not None:
            write_picture(last, source, view.svg, playback)
        put(_last([last], view.form))


def _documents(snapshots: Iterable[Snapshot]) -> Iterator[str]:
    silence = _Silence()
    shown = last = None
    for last in snapshots:
        silence.follow(last)
        if shown is None or last.at - shown.at >= SECOND:
            shown = last
            yield encode(last)
    if last is not None and last is not shown:
        yield encode(last)


class _Silence:
    """Says once that no engine is heard, when that has been so for a second."""

    def __init__(self) -> None:
        self._began: int | None = None
        self._told = False

    def follow(self, snapshot: Snapshot) -> None:
        """Takes note of one more snapshot."""
        if self._began is None:
            self._began = snapshot.at
        if snapshot.engines or self._told or snapshot.at - self._began < SECOND:
            return
        self._told = True
        tell(NO_ENGINE)


def _reports(snapshots: Iterable[Snapshot]) -> Iterator[str]:
    reporter = Reporter()
    snapshot = None
    for snapshot in snapshots:
        yield from reporter.lines(snapshot)
    if snapshot is not None:
        yield from reporter.last(snapshot)


def _screen(
    snapshots: Iterator[Snapshot], source: str, playback: Playback | None, asides: deque[str]
) -> None:
    left = Event()

    def leave(signum: int, frame: FrameType | None) -> None:
        if signum == signal.SIGHUP:
            # The terminal is gone, and Textual would wait for ever to write to it.
            die_of(signum)
        left.set()

    if DRIVER in os.environ:
        end_with_parent()
    with heard_by(leave):
        # Textual takes longer to import than all the rest, and only the screen needs it.
        from kvtrace.tui.app import KvtraceApp
        from kvtrace.tui.priority import keys_first, run

        keys_first()
        app = KvtraceApp(snapshots, source=source, playback=playback)
        app.left = left
        app.asides = asides
        app.prefer(*settled())
        try:
            run(app)
        finally:
            if playback is not None:
                playback.stop()
    if app.return_code:
        sys.exit(app.return_code)
