"""`kvtrace live`: the transfers of this host's engines, or of a fleet, as they happen."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from itertools import chain
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, TypeAlias

import click
import msgspec

from kvtrace.cli import options
from kvtrace.cli.glimpse import first_heard
from kvtrace.cli.interrupts import asked_to_stop, until
from kvtrace.cli.listening import Asked, listening_options
from kvtrace.cli.silence import why_silent
from kvtrace.cli.tape import Tape
from kvtrace.cli.view import View, view_options
from kvtrace.cli.watching import Reopened, snapshots, started
from kvtrace.cli.web import web_option
from kvtrace.errors import ReceiverError
from kvtrace.moments import Moment
from kvtrace.recording import Header
from kvtrace.snapshot import Snapshot
from kvtrace.sources import run_directory

if TYPE_CHECKING:
    from kvtrace.sources.otlp.receiver import Receiver

PATIENCE = 30_000_000_000
"""Nanoseconds for which --once waits for the first agent."""

Opened: TypeAlias = tuple[Iterator[Moment], "Receiver | None", str]
"""What happens, what listens if anything does, and what is read in words."""

EXAMPLES = """\b
Examples:
  kvtrace live
  kvtrace live --plain | grep stalled
  kvtrace live --once --json | jq .totals
  kvtrace live --dead 24h --record incident.kvtrace.gz
  kvtrace live --listen :4317 --token-file token
  kvtrace live --listen :4317 --once --for 60s
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
@click.option(
    "--for",
    "patience",
    metavar="DURATION",
    type=options.duration,
    help="With --once and --listen: wait at most so long for the first agent.  [default: 30s]",
)
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
    host, it listens on this host's own address. With --listen, --once shows how things stand a
    moment after the first agent was heard. On a terminal this is the screen; elsewhere it is
    lines of text.
    """
    if asked.patience is not None and not view.once:
        raise click.UsageError("--for says how long --once listens, and needs --once")
    boxes = Boxes(options.readable(directory), directory is not None, dead_for)
    start = started()
    with ExitStack() as stack:
        tape = None
        if record is not None:
            # Opening what is no plain file may wait for ever, so the first Ctrl-C must end it.
            tape = stack.enter_context(closing(Tape(record, start, force=force)))
        if (boxes.named or not asked.is_anything) and (none := boxes.silence(view.once)):
            view.warn(none)
        if view.once and not asked.is_anything:
            moments, receiver, source = boxes.once(), None, str(boxes.where)
        else:
            stop = stack.enter_context(asked_to_stop())
            opened = _listened_once if view.once else _watched
            moments, receiver, source = opened(view, asked, boxes, stop)
        if receiver is not None:
            stack.callback(_keep_rest, receiver, tape)
        if tape is not None:
            moments = tape.beside(moments, view.warn)
        # Only black boxes still hold what was read before.
        lasting = receiver is None and tape is None and not view.once
        view.show(boxes.lasting(start, stop) if lasting else snapshots(moments, start), source)


class Boxes(msgspec.Struct, frozen=True):
    """The black boxes that were asked for."""

    where: Path
    named: bool
    """Whether someone said where, so that they are read beside what is received."""

    dead_for: int

    def silence(self, once: bool) -> str:
        """Why nothing is read from there; where that is only looked at once, of old ones too."""
        return why_silent(self.where, self.dead_for) if once else options.missing(self.where)

    def once(self) -> Iterator[Moment]:
        """What they hold now."""
        return run_directory.read_once(self.where, dead_for_ns=self.dead_for)

    def watch(self) -> Iterator[Moment]:
        """What happens in them."""
        return run_directory.watch(self.where, dead_for_ns=self.dead_for)

    def lasting(self, start: Header, stop: Event) -> Iterator[Snapshot]:
        """What is known of them until the event is set, read anew after an error."""
        return Reopened(lambda: snapshots(until(stop, self.watch()), start))


def _listened_once(view: View, asked: Asked, boxes: Boxes, stop: Event) -> Opened:
    receiver, source = _receiver(view, asked, "")
    if receiver is None:
        return boxes.once(), None, source
    limit = PATIENCE if asked.patience is None else asked.patience
    moments = first_heard(receiver, limit, stop.is_set)
    return chain(boxes.once(), moments) if boxes.named else moments, receiver, source


def _watched(view: View, asked: Asked, boxes: Boxes, stop: Event) -> Opened:
    receiver, source = None, str(boxes.where)
    read = boxes.watch() if boxes.named or not asked.is_anything else None
    if asked.is_anything or not (boxes.named or run_directory.any_box(boxes.where)):
        receiver, source = _receiver(view, asked, source if read else "")
    return _moments(read, receiver, stop), receiver, source


def _receiver(view: View, asked: Asked, boxes: str) -> tuple["Receiver | None", str]:
    """What listens, and what is read in all; where nobody asked, a taken port is no error."""
    # gRPC takes longer to import than all the rest, and only who listens needs it.
    from kvtrace.cli.receiving import listening, places, setup_of

    try:
        receiver = listening(setup_of(asked), view.warn, view.mention)
    except ReceiverError as error:
        if asked.is_anything:
            raise
        view.warn(f"{error}; waiting for black boxes in {boxes}")
        return None, f"{boxes}; not OTLP, {error}"
    yet = "" if asked.is_anything else f"no black box in {boxes} yet: "
    view.warn("times are by the clock of this host")
    view.warn(
        f"{yet}listening for {places(receiver)}, where the agents' OTEL_EXPORTER_OTLP_ENDPOINT is "
        "to lead"
    )
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
