"""`kvtrace agent`: sends what this host's engines say to an endpoint that speaks OTLP."""

import os
import time
from contextlib import closing, suppress
from pathlib import Path

import click

from kvtrace.agent.apart import settle
from kvtrace.agent.ending import Ending
from kvtrace.agent.lock import Lock
from kvtrace.agent.log_file import keep_short
from kvtrace.cli import options
from kvtrace.cli.interrupts import asked_to_stop
from kvtrace.cli.streams import tell
from kvtrace.cli.watching import started
from kvtrace.destination import DISABLED, NOWHERE, Destination, destinations, disabled
from kvtrace.errors import ExportError, KvtraceError

EXAMPLES = """\b
Examples:
  kvtrace agent --endpoint http://collector:4317
  OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4317 kvtrace agent --stay
  kvtrace agent --once --dead 24h --endpoint http://collector:4317
"""


@click.command("agent", epilog=EXAMPLES)
@options.directory
@options.dead
@click.option(
    "--endpoint",
    metavar="URL",
    default="",
    help="Where to send; else as OpenTelemetry's variables say, OTEL_EXPORTER_OTLP_ENDPOINT first.",
)
@click.option("--once", is_flag=True, help="Send what is there, and end.")
@click.option("--stay", is_flag=True, help="Wait for other engines when these are gone.")
@click.option("--launched", metavar="FD", type=click.IntRange(min=0), hidden=True)
@click.option("--launcher", metavar="NAME", default="", hidden=True)
def command(
    directory: Path | None,
    dead_for: int,
    endpoint: str,
    once: bool,
    stay: bool,
    launched: int | None,
    launcher: str,
) -> None:
    """Send what this host's engines say as OpenTelemetry log records and spans.

    Follows all black boxes until their engines are gone and everything is sent. Engines launch one
    by themselves where an endpoint is configured; there is one for each directory.
    """
    # gRPC takes longer to import than all the rest, and help needs none of it.
    from kvtrace.agent.running import Plan, run

    where = _made(options.readable(directory).absolute())
    found = () if launched is not None else _destinations(endpoint)
    with closing(Lock(where, launched, launcher)) as lock, asked_to_stop() as stop:
        try:
            if launched is not None:
                settle()
                keep_short()
                found = _destinations(endpoint)
            plan = Plan(
                directory=where,
                destinations=found,
                clock=started().clock,
                span_ratio=ratio(os.environ.get("KVTRACE_SPAN_RATIO", "")),
                secret=os.environ.get("KVTRACE_HASH_IDS", ""),
                dead_for_ns=dead_for,
                ending=Ending(once=once, stay=stay, launched=launched is not None),
            )
            sent = run(plan, lock, _say if launched is None else _write_down, stop)
        except KvtraceError:
            lock.refuse()
            raise
    if once and not sent:
        raise _unsent(found)


def _made(where: Path) -> Path:
    with suppress(FileExistsError, OSError):
        where.mkdir(mode=0o700)
    if not where.exists():
        raise ExportError(f"{where} does not exist and cannot be made: name another with --dir")
    return where


def _destinations(endpoint: str) -> tuple[Destination, ...]:
    found = destinations(os.environ, endpoint)
    if not found:
        raise ExportError(DISABLED if disabled(os.environ) else NOWHERE)
    return found


def _unsent(found: tuple[Destination, ...]) -> ExportError:
    places = " and ".join(dict.fromkeys(one.endpoint for one in found))
    return ExportError(
        f"not all that is there could be sent: see that something takes OTLP at {places}, "
        "and start this again"
    )


def ratio(text: str) -> float:
    """What KVTRACE_SPAN_RATIO says; all where it says nothing."""
    try:
        found = float(text or 1)
    except ValueError:
        found = -1.0
    if not 0 <= found <= 1:
        raise ExportError(f"KVTRACE_SPAN_RATIO is {text!r}: write a share from 0 to 1, such as 0.1")
    return found


def _say(sentence: str) -> None:
    tell(f"kvtrace agent: {sentence}")


def _write_down(sentence: str) -> None:
    """Say it with the time, in a file that must not grow for ever."""
    keep_short()
    tell(f"{time.strftime('%Y-%m-%dT%H:%M:%S%z')} {os.getpid()} {sentence}")
