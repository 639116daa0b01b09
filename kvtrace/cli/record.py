"""`kvtrace record`: what this host's engines say, kept to be replayed later."""

import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import click

from kvtrace import words
from kvtrace.cli import options
from kvtrace.cli.interrupts import asked_to_stop, until
from kvtrace.cli.streams import tell
from kvtrace.cli.watching import started
from kvtrace.moments import Moment, Record
from kvtrace.report import NO_ENGINE
from kvtrace.sinks.recording import RecordingWriter
from kvtrace.sources import run_directory

SECOND = 1_000_000_000

EXAMPLES = """\b
Examples:
  kvtrace record now.kvtrace                 until Ctrl-C
  kvtrace record now.kvtrace.gz --seconds 60
  kvtrace record dead.kvtrace --dead 24h --seconds 1
"""


@click.command("record", epilog=EXAMPLES)
@click.argument("file", type=options.FILE)
@options.directory
@options.dead
@click.option(
    "--seconds",
    metavar="N",
    type=options.seconds,
    help="End by itself after so many seconds.",
)
@options.force
def command(
    file: Path, directory: Path | None, dead_for: int, seconds: float | None, force: bool
) -> None:
    """Record what this host's engines say to FILE, until Ctrl-C.

    A name that ends in .gz is compressed. Whatever ends the recorder, what it wrote stays readable.
    """
    where = options.readable(directory)
    header = started()
    with closing(RecordingWriter(file, header, force=force)) as writer, asked_to_stop() as stop:
        progress = Progress(writer, header.monotonic, silent=lambda: options.missing(where))
        for moment in until(stop, run_directory.watch(where, dead_for_ns=dead_for)):
            if seconds is not None and moment.at - header.monotonic > seconds * SECOND:
                break
            writer.write(moment)
            progress.show(moment)
    progress.end()


class Progress:
    """Says on a terminal how far the recording is."""

    def __init__(
        self,
        writer: RecordingWriter,
        began: int,
        *,
        silent: Callable[[], str] = lambda: "",
        terminal: bool | None = None,
    ) -> None:
        """`silent` says why no engine is heard, if that is known."""
        self._silent = silent
        self._writer = writer
        self._began = self._shown = self._now = began
        self._heard = False
        self._warned = False
        self._terminal = sys.stderr.isatty() if terminal is None else terminal

    def show(self, moment: Moment) -> None:
        """Draws the line anew, at most once a second."""
        self._now = moment.at
        self._heard = self._heard or isinstance(moment.news, Record)
        if moment.at - self._shown < SECOND:
            return
        self._shown = moment.at
        if not self._heard and not self._warned:
            self._warned = True
            tell(self._silent() or NO_ENGINE)
        if self._terminal:
            tell(self._told(), start="\r", end="\x1b[K")

    def end(self) -> None:
        """Says what was recorded."""
        start = "\r\x1b[K" if self._terminal else ""
        tell(f"{self._writer.path}: {self._told()}", start=start)

    def _told(self) -> str:
        took = words.duration(self._now - self._began)
        events, size = words.many(self._writer.events, "event"), words.size(self._writer.size)
        return f"{events} recorded in {took}, {size}"
