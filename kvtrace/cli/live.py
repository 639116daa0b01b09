"""`kvtrace live`: the transfers of this host's engines, or of a fleet, as they happen."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import click

from kvtrace.cli import options
from kvtrace.cli.interrupts import asked_to_stop, until
from kvtrace.cli.listening import Asked, listening_options
from kvtrace.cli.tape import Tape
from kvtrace.cli.view import View, view_options
from kvtrace.cli.watching import snapshots, started
from kvtrace.cli.web import web_option
from kvtrace.errors import ReceiverError
from kvtrace.moments import Moment
from kvtrace.sources import run_directory

if TYPE_CHECKING:
    from kvtrace.sources.otlp.receiver import Receiver

EXAMPLES = """\b
Examples:
  kvtrace live
  kvtrace live --plain | grep stalled
  kvtrace live --once --json | jq .totals
  kvtrace live --dead 24h --record incident.kvtrace.gz
  kvtrace live --listen :4317 --token-file token
  kvtrace live --web
"""


@click.command("live", epilog=EXAMPLES)
@view_options
@options.directory
@options.dead
@click.option(
    "--record", metavar="FILE", type=options.FILE, help="Also keep what is seen, as record does."
)
@options.force
@listening_options
@web_option
def command(
    view: View,
    asked: Asked,
    directory: Path | None,
    dead_for: int,
    record: Path | None,
    force: bool,
) -> None:
    """Show the transfers of this host's engines, or of a fleet, as they happen.

    Reads the black boxes of living engines and of those that died lately. With --listen it receives
    what agents send by OTLP instead, and with --dir both. With neither, and no black box on this
    host, it listens on this host's own address. On a terminal this is the screen; elsewhere it is
    lines of text.
    """
    if view.once and asked.is_anything:
        raise click.UsageError("--once looks at black boxes, and excludes --listen")
    where = options.readable(directory)
    start = started()
    with ExitStack() as stack:
        tape = None
        if record is not None:
            # Opening what is no plain file may wait for ever, so the first Ctrl-C must end it.
            tape = stack.enter_context(closing(Tape(record, start, force=force)))
        source, receiver = str(where), None
        if view.once:
            moments = run_directory.read_once(where, dead_for_ns=dead_for)
        else:
            stop = stack.enter_context(asked_to_stop())
            boxes = None
            if directory is not None or not asked.is_anything:
                boxes = run_directory.watch(where, dead_for_ns=dead_for)
            if asked.is_anything or (directory is None and not run_directory.any_box(where)):
                receiver, source = _receiver(view, asked, str(where) if boxes else "")
            moments = _moments(boxes, receiver, stop)
        if receiver is not None:
            stack.callback(_keep_rest, receiver, tape)
        if tape is not None:
            moments = tape.beside(moments, view.warn)
        view.show(snapshots(moments, start), source)


def _receiver(view: View, asked: Asked, boxes: str) -> tuple["Receiver | None", str]:
    """What listens, and what is read in all; where nobody asked, a taken port is no error."""
    # gRPC takes longer to import than all the rest, and only who listens needs it.
    from kvtrace.cli.receiving import listening, places, setup_of

    try:
        receiver = listening(setup_of(asked), view.warn)
    except ReceiverError as error:
        if asked.is_anything:
            raise
        view.warn(f"{error}; waiting for black boxes in {boxes}")
        return None, f"{boxes}; not OTLP, {error}"
    yet = "" if asked.is_anything else f"no black box in {boxes} yet: "
    view.warn(f"{yet}listening for {places(receiver)}")
    return receiver, " and ".join(one for one in (boxes, places(receiver)) if one)


def _moments(
    boxes: Iterator[Moment] | None,
    receiver: "Receiver | None",
    stop: Event,
    now: Callable[[], int] = time.monotonic_ns,
) -> Iterator[Moment]:
    """What both tell until the event is set, and then what was acknowledged until then."""
    if receiver is None:
        yield from until(stop, boxes or ())
        return
    if boxes is None:
        yield from receiver.watch(stop.is_set)
    else:
        yield from until(stop, receiver.beside(boxes))
    receiver.stop()
    yield from receiver.moments(now())


def _keep_rest(receiver: "Receiver", tape: Tape | None) -> None:
    """Stops it, and records what was acknowledged and is shown no more, as on a screen left."""
    receiver.stop()
    if tape is not None:
        tape.keep(receiver.moments(time.monotonic_ns()))
