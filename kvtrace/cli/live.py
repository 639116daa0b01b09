"""`kvtrace live`: the transfers of this host's engines as they happen."""

from contextlib import ExitStack, closing
from pathlib import Path

import click

from kvtrace.cli import options
from kvtrace.cli.interrupts import asked_to_stop, until
from kvtrace.cli.tape import Tape
from kvtrace.cli.view import View, view_options
from kvtrace.cli.watching import snapshots, started
from kvtrace.sources import run_directory

EXAMPLES = """\b
Examples:
  kvtrace live
  kvtrace live --plain | grep stalled
  kvtrace live --once --json | jq .totals
  kvtrace live --dead 24h --record incident.kvtrace.gz
"""


@click.command("live", epilog=EXAMPLES)
@view_options
@options.directory
@options.dead
@click.option(
    "--record", metavar="FILE", type=options.FILE, help="Also keep what is seen, as record does."
)
@options.force
def command(
    view: View, directory: Path | None, dead_for: int, record: Path | None, force: bool
) -> None:
    """Show the transfers of this host's engines as they happen.

    Reads the black boxes of living engines and of those that died lately. On a terminal this is
    the screen; elsewhere it is lines of text.
    """
    where = options.readable(directory)
    start = started()
    with ExitStack() as stack:
        tape = None
        if record is not None:
            # Opening what is no plain file may wait for ever, so the first Ctrl-C must end it.
            tape = stack.enter_context(closing(Tape(record, start, force=force)))
        if view.once:
            moments = run_directory.read_once(where, dead_for_ns=dead_for)
        else:
            stop = stack.enter_context(asked_to_stop())
            moments = until(stop, run_directory.watch(where, dead_for_ns=dead_for))
        if tape is not None:
            moments = tape.beside(moments, view.warn)
        view.show(snapshots(moments, start), str(where))
