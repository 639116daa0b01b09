"""`kvtrace collect`: receives without a screen, keeps and passes on what it receives."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import click
import msgspec

from kvtrace import words
from kvtrace.cli import options
from kvtrace.cli.interrupts import asked_to_stop
from kvtrace.cli.listening import Asked, listening_options
from kvtrace.cli.streams import put, tell
from kvtrace.cli.watching import snapshots, started
from kvtrace.document import losses, totals
from kvtrace.moments import Moment
from kvtrace.report import status
from kvtrace.sinks.recording import RecordingWriter
from kvtrace.snapshot import Snapshot

if TYPE_CHECKING:
    from kvtrace.sources.otlp.receiver import Receiver

SECOND = 1_000_000_000

_FOREIGN = "log records and spans"

EXAMPLES = """\b
Examples:
  kvtrace collect --record fleet.kvtrace.gz
  kvtrace collect --listen :4317 --token-file token --tls-cert c.pem --tls-key k.pem
  kvtrace collect --listen :4317 --forward http://tempo:4317
  curl -s localhost:4318/healthz | jq .totals
"""


@click.command("collect", epilog=EXAMPLES)
@listening_options
@click.option(
    "--record", metavar="FILE", type=options.FILE, help="Keep what is received, for replay."
)
@options.force
@click.option("--json", "as_json", is_flag=True, help="At the end, all counts as one JSON object.")
def command(asked: Asked, record: Path | None, force: bool, as_json: bool) -> None:
    """Receive OTLP without a screen, until Ctrl-C; /healthz on the HTTP port tells the counts.

    A request is acknowledged when its events are taken in and, with --forward, when the backend has
    acknowledged it: what the backend does not take, its sender keeps.
    """
    # gRPC takes longer to import than all the rest, and help needs none of it.
    from kvtrace.cli.receiving import listening, places, setup_of

    setup = setup_of(asked)
    start = started()
    with ExitStack() as stack:
        writer = None
        if record is not None:
            writer = stack.enter_context(closing(RecordingWriter(record, start, force=force)))
        stop = stack.enter_context(asked_to_stop())
        receiver = listening(setup, lambda message: tell(f"kvtrace: {message}"))
        stack.callback(receiver.stop)
        tell(f"{places(receiver)}, until Ctrl-C")
        moments = _kept(_received(receiver, stop), writer)
        progress = Progress(receiver)
        for snapshot in snapshots(moments, start, every=SECOND):
            receiver.more = _more(snapshot)
            progress.show(snapshot)
        progress.end()
        if as_json:
            put([msgspec.json.encode(receiver.health()).decode()])


class Progress:
    """Says on a terminal how things stand."""

    def __init__(self, receiver: "Receiver", *, terminal: bool | None = None) -> None:
        self._receiver = receiver
        self._terminal = sys.stderr.isatty() if terminal is None else terminal
        self._last: Snapshot | None = None

    def show(self, snapshot: Snapshot) -> None:
        """Draws the line anew."""
        self._last = snapshot
        if self._terminal:
            tell(self._told(snapshot), start="\r", end="\x1b[K")

    def end(self) -> None:
        """Says how things stood in the end."""
        if self._last is not None:
            tell(self._told(self._last), start="\r\x1b[K" if self._terminal else "")

    def _told(self, snapshot: Snapshot) -> str:
        received = words.many(sum(self._receiver.counts.requests.values()), "request")
        said = f"{received}, {words.many(snapshot.events, 'event')}"
        tally = self._receiver.counts.received
        if tally.foreign:
            said += f", {words.many(tally.foreign, 'log record or span', _FOREIGN)} not kvtrace's"
        if tally.metrics:
            said += f", {words.many(tally.metrics, 'metric')} passed over"
        if self._receiver.setup.target is not None:
            counts = self._receiver.counts
            said += f", {words.many(counts.forwarded, 'request')} passed on"
            said += f", {words.count(counts.not_forwarded)} not taken" * bool(counts.not_forwarded)
        return f"{said}; {status(snapshot)}" if snapshot.engines else said


def _received(
    receiver: "Receiver", stop: Event, now: Callable[[], int] = time.monotonic_ns
) -> Iterator[Moment]:
    """What arrives until the event is set, and then what was acknowledged until then."""
    yield from receiver.watch(stop.is_set)
    receiver.stop()
    yield from receiver.moments(now())


def _kept(moments: Iterator[Moment], writer: RecordingWriter | None) -> Iterator[Moment]:
    for moment in moments:
        if writer is not None:
            writer.write(moment)
        yield moment


def _more(snapshot: Snapshot) -> dict[str, object]:
    return {
        "totals": totals(snapshot.totals),
        "losses": losses(snapshot.losses),
        "engines": len(snapshot.engines),
        "shown": snapshot.events,
    }
