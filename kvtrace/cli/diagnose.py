"""`kvtrace diagnose`: what is wrong, and why, as a report; the exit code tells whether it is."""

import time
import zlib
from collections.abc import Iterable
from contextlib import ExitStack, closing
from io import BufferedReader
from pathlib import Path
from typing import Protocol

import click
import msgspec

from kvtrace import findings
from kvtrace.cli import options
from kvtrace.cli.headway import headway
from kvtrace.cli.interrupts import asked_to_stop
from kvtrace.cli.listening import HERE, Asked
from kvtrace.cli.silence import silent, why_silent
from kvtrace.cli.streams import put, tell
from kvtrace.cli.watching import started
from kvtrace.document import document
from kvtrace.eased import Eased, EasedLine
from kvtrace.errors import KvtraceError
from kvtrace.garbage import collect_seldom
from kvtrace.incident import incident
from kvtrace.moments import Moment
from kvtrace.recording import Header
from kvtrace.snapshot import Snapshot
from kvtrace.sources import run_directory
from kvtrace.sources.recording import (
    GZIP,
    STANDARD_INPUT,
    Recording,
    open_recording,
    standard_input,
)

PEEKED = 4_096

EXAMPLES = """\b
Examples:
  kvtrace diagnose                        this host's engines, dead or alive
  kvtrace diagnose now.kvtrace.gz
  kvtrace diagnose /dev/shm/kvtrace-1000  the black boxes of a dead pod
  kvtrace diagnose logs.json              OTLP in JSON, one request a line or laid out
  zcat now.kvtrace.gz | kvtrace diagnose - --json | jq -r '.causes[].cause'
  kvtrace diagnose --live :4317 --seconds 60
"""


class Judged(msgspec.Struct, frozen=True):
    """What was found."""

    last: Snapshot
    """How things stood in the end."""

    eased: tuple[EasedLine, ...]
    """What was wrong before."""

    name: str = ""
    """Of the file that has holes, so that more may be wrong than was found; else empty."""

    @property
    def is_wrong(self) -> bool:
        """Whether anything is wrong, or was; hints are not."""
        return bool(self.eased) or any(not one.is_hint for one in self.last.causes)


class Holed(Protocol):
    """A file that may have been read in part only."""

    name: str

    @property
    def has_holes(self) -> bool:
        """Whether it was."""


@click.command("diagnose", epilog=EXAMPLES)
@click.argument("source", required=False, type=options.FILE)
@click.option(
    "--live",
    metavar="[ADDR]",
    is_flag=False,
    flag_value=HERE,
    help="Receive OTLP over gRPC there, for --seconds, instead of reading a SOURCE.  "
    f"[default: {HERE}]",
)
@click.option(
    "--seconds",
    metavar="N",
    type=options.seconds,
    default="30",
    show_default=True,
    help="How long --live listens; Ctrl-C ends it earlier.",
)
@options.dead
@click.option("--json", "as_json", is_flag=True, help="The whole as one JSON object.")
def command(
    source: Path | None, live: str | None, seconds: float, dead_for: int, as_json: bool
) -> int:
    """Say what is wrong with the transfers in SOURCE, and why.

    SOURCE is a recording, a directory of black boxes, a file of OTLP in JSON, or - for either file
    on the standard input; without one, this host's black boxes. Exits with 0 where nothing is
    wrong, hints aside, 1 where something is or was, 2 where that cannot be told, as where nothing
    wrong was found in a file of which parts cannot be read.
    """
    if source is not None and live is not None:
        raise click.UsageError("SOURCE and --live exclude each other")
    found = _listened(live, seconds) if live is not None else _read(source, dead_for)
    if not found.last.engines:
        raise KvtraceError(_why(source, dead_for) if live is None else _unheard(live))
    put([_json(found)] if as_json else incident(found.last, found.eased))
    if found.is_wrong:
        return 1
    if found.name:
        tell(f"kvtrace: what of {found.name} cannot be read may tell of something wrong")
    return 2 if found.name else 0


def _read(source: Path | None, dead_for: int) -> Judged:
    if source is None or source.is_dir():
        where = options.readable(source)
        moments = run_directory.read_once(where, dead_for_ns=dead_for)
        return _last(moments, started(), str(where))
    # What was looked at of the standard input cannot be read again from another reader.
    stream = standard_input() if str(source) == "-" else None
    otlp = _beginning(stream) if stream is not None else _beginning_of(source)
    if otlp:
        # Protobuf takes longer to import than all the rest, and only OTLP needs it.
        from kvtrace.sources.otlp.file import OtlpFile, is_otlp

        if is_otlp(otlp):
            with closing(OtlpFile(stream or source)) as file:
                found = _last(headway(file), file.header, file.name)
                _warn(file.name, file.damage)
                if file.told:
                    tell(f"kvtrace: {file.name} {file.told}")
            return _marked(found, file)
    opened = Recording(stream, STANDARD_INPUT) if stream is not None else open_recording(source)
    with closing(opened) as recording:
        found = _last(headway(recording), recording.header, recording.name)
        _warn(recording.name, recording.damage)
    return _marked(found, recording)


def _marked(found: Judged, source: Holed) -> Judged:
    return msgspec.structs.replace(found, name=source.name if source.has_holes else "")


def _listened(address: str, seconds: float) -> Judged:
    # gRPC takes longer to import than all the rest, and only who listens needs it.
    from kvtrace.cli.receiving import listening, places, setup_of

    start = started()
    with ExitStack() as stack:
        stop = stack.enter_context(asked_to_stop())
        receiver = listening(
            setup_of(Asked(listen=address, http="off", option="--live")),
            lambda text: tell(f"kvtrace: {text}"),
        )
        stack.callback(receiver.stop)
        tell(f"kvtrace: {places(receiver)} for {seconds:g} s, or until Ctrl-C")
        ends = time.monotonic() + seconds

        def over() -> bool:
            return stop.is_set() or time.monotonic() >= ends

        return _last(receiver.watch(over), start, places(receiver))


def _beginning_of(source: Path) -> bytes:
    """The same of a plain file."""
    if not source.is_file():
        return b""
    try:
        with source.open("rb") as raw:
            return _beginning(raw)
    except OSError:
        return b""


def _beginning(raw: BufferedReader) -> bytes:
    """The first bytes, unpacked and still to be read, of what could hold OTLP; else nothing."""
    first = raw.peek(PEEKED)
    if first[:2] == GZIP:
        try:
            first = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(first, PEEKED)
        except zlib.error:
            return b""
    return first[:PEEKED] if b"resource" in first[:PEEKED] else b""


def _last(moments: Iterable[Moment], start: Header, name: str) -> Judged:
    """How things stood in the end, and what was wrong before."""
    # The rules take longer to import than all the rest, and help needs none of them.
    from kvtrace.monitor import conclude
    from kvtrace.walk import told

    collect_seldom()
    eased = Eased()
    last = conclude(moments, eased.follow, clock=start.clock)
    if last is None:
        raise KvtraceError(f"{name} holds nothing but its beginning: record while engines run")
    return Judged(told(last, start), eased.lines(last))


def _why(source: Path | None, dead_for: int) -> str:
    """Why no engine is heard from there."""
    if source is None or source.is_dir():
        where = options.readable(source)
        return why_silent(where, dead_for) or f"the black boxes in {where} tell of no engine yet"
    return silent(source)


def _unheard(address: str) -> str:
    return (
        f"no agent sent anything to {address}: see that its "
        "OTEL_EXPORTER_OTLP_ENDPOINT leads here, or listen longer with --seconds"
    )


def _warn(name: str, damage: str) -> None:
    if damage:
        tell(f"kvtrace: {name} {damage}; diagnosed is what can be read")


def _json(found: Judged) -> str:
    last = found.last
    told = {**document(last), "eased": findings.eased(found.eased, last)}
    return msgspec.json.encode(told).decode()
