"""`kvtrace doctor`: what is wrong with how engines are set up, before anything else is."""

import os
import resource
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from types import FrameType

import click
import msgspec

from kvtrace.checkup import Finding, Patient, checkup
from kvtrace.cli import options
from kvtrace.cli.interrupts import heard_by
from kvtrace.cli.silence import why_silent
from kvtrace.cli.streams import put, tell
from kvtrace.errors import KvtraceError
from kvtrace.fleet import Fleet
from kvtrace.incident import wrapped
from kvtrace.moments import Moment, Record
from kvtrace.names import Names
from kvtrace.sources import run_directory
from kvtrace.sources.recording import open_recording
from kvtrace.words import clean

TIME = 180
"""Seconds that importing vLLM may take on a busy machine."""

MEMLOCK = 1 << 30
"""Bytes that a rank must be able to lock so that its KV cache can be registered."""

EXAMPLES = """\b
Examples:
  kvtrace doctor                           this host's engines, and this environment
  kvtrace doctor host-a.kvtrace host-b.kvtrace.gz
  kvtrace doctor --json | jq -r '.findings[].sentence'
"""


class Fit(msgspec.Struct, frozen=True):
    """What the connector says of the vLLM beside it."""

    release: str = ""
    fits: bool = False
    reasons: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    error: str = ""


@click.command("doctor", epilog=EXAMPLES)
@click.argument("sources", metavar="[SOURCE]...", nargs=-1, type=options.FILE)
@click.option("--json", "as_json", is_flag=True, help="The whole as one JSON object.")
def command(sources: tuple[Path, ...], as_json: bool) -> int:
    """Check how engines are set up, before anything is wrong.

    Each SOURCE is a recording, or a directory of black boxes, of one host: engines on different
    hosts are compared with each other. Without one, this host's engines and this environment are
    looked at. Exits with 1 where something breaks transfers or can hang them (!), 0 where
    nothing does, whatever else is hinted at (~), 2 where it cannot look.
    """
    patients = list(_patients(sources or _here()))
    findings = checkup(patients)
    fit = None
    if not sources:
        fit = _fit()
        findings = [*findings, *around(os.environ, resource.getrlimit(resource.RLIMIT_MEMLOCK)[0])]
        findings += list(of_fit(fit))
    elif not patients:
        raise KvtraceError(_nobody(sources[0]))
    put([_json(patients, findings, fit)] if as_json else report(patients, findings, fit))
    return 1 if any(one.wrong for one in findings) else 0


def around(environ: Mapping[str, str], memlock: int) -> Iterator[Finding]:
    """What an engine that was started with this environment would lack."""
    if environ.get("KVTRACE", "") in ("", "0"):
        yield Finding(
            check="tracing",
            wrong=False,
            sentence="`KVTRACE` is not 1 here: an engine started from this shell is not traced.",
            remedy="Set `KVTRACE=1` in the environment of every engine.",
        )
    if not environ.get("VLLM_NIXL_SIDE_CHANNEL_HOST"):
        yield Finding(
            check="side channel",
            wrong=False,
            sentence="`VLLM_NIXL_SIDE_CHANNEL_HOST` is not set here: an engine started from this "
            "shell would be reached at localhost, from its own host alone.",
            remedy="Set it, on P and on D, to an address that the other can reach.",
            modes=("FM02",),
        )
    if 0 <= memlock < MEMLOCK:
        yield Finding(
            check="memory",
            wrong=False,
            sentence=f"Only {memlock >> 20} MiB may be locked here (`ulimit -l`): registering a KV "
            "cache with an RDMA device needs more.",
            remedy="Raise the limit to unlimited for the engines.",
            modes=("FM36",),
        )


def report(patients: Iterable[Patient], findings: list[Finding], fit: Fit | None) -> Iterator[str]:
    """The report, line by line."""
    heard = [f"{one.name} ({one.roles}, vLLM {one.settings.vllm_version})" for one in patients]
    yield f"Looked at {clean(', '.join(heard)) or 'no engine: none has told of itself here'}."
    if fit is not None and fit.release:
        yield f"vLLM {clean(fit.release)} here: {'traced' if fit.fits else 'not traced'}."
    for one in findings:
        modes = f" ({', '.join(one.modes)})" if one.modes else ""
        yield ""
        mark = "!" if one.wrong else "~"
        yield from wrapped(f"{mark} ", f"{one.check}{modes}: {clean(one.sentence)}")
        yield from wrapped("  DO ", clean(one.remedy))
    if not findings:
        yield "Nothing is wrong that kvtrace knows of."


def _patients(sources: Iterable[Path]) -> Iterator[Patient]:
    fleet = Fleet("")
    names = Names()
    for source in sources:
        for moment in _moments(source):
            if isinstance(moment.news, Record):
                fleet.take(moment)
    for engine in fleet.engines.all():
        if engine.settings is not None:
            yield Patient(
                id=engine.id,
                name=names.of(engine.id, engine.roles) or engine.id,
                roles="".join(sorted(engine.roles, reverse=True)),
                clock=engine.newest.clock,
                settings=engine.settings,
            )


def _here() -> tuple[Path, ...]:
    """Where the black boxes of this host are; nothing where there are none yet."""
    where = options.readable(None)
    return (where,) if where.exists() else ()


def _nobody(source: Path) -> str:
    why = why_silent(source, options.EVER) if source.is_dir() else ""
    return why or f"no engine tells of itself in {source}: record while engines run"


def _moments(source: Path) -> Iterator[Moment]:
    if source.is_dir():
        where = options.readable(source)
        yield from run_directory.read_once(where, dead_for_ns=options.EVER)
        return
    with closing(open_recording(source)) as recording:
        yield from recording
        if recording.damage:
            tell(f"kvtrace: {recording.name} {recording.damage}; looked at is what can be read")


def _fit() -> Fit:
    """What the connector says of the vLLM in this environment; nothing where there is none."""
    if find_spec("vllm") is None:
        return Fit()
    if sys.stderr.isatty():
        tell("kvtrace: looking at this environment's vLLM, which takes some seconds")
    return ask([sys.executable, "-m", "kvtrace_connector.told"])


def ask(asked: list[str]) -> Fit:
    """What this command says of it; the command ends with us, whatever ends us."""
    try:
        with heard_by(_leave):
            done = subprocess.run(asked, capture_output=True, timeout=TIME, check=False)
        lines = deque(done.stdout.splitlines(), maxlen=1)
        return msgspec.json.decode(lines[0], type=Fit)
    except (subprocess.TimeoutExpired, IndexError, msgspec.DecodeError):
        return Fit(error="it could not be asked")
    except _LeftError:
        raise KeyboardInterrupt from None


def _leave(number: int, frame: FrameType | None) -> None:
    raise _LeftError


class _LeftError(Exception):
    """Somebody wants us to end; after KeyboardInterrupt nobody would wait for the command."""


def of_fit(fit: Fit) -> Iterator[Finding]:
    """What a person should know of the vLLM here."""
    if fit.error:
        yield Finding(
            check="release",
            wrong=False,
            sentence=f"vLLM cannot be imported here: {fit.error}.",
            remedy="Run `kvtrace doctor` in the environment that the engines run in.",
        )
    elif fit.release and not fit.fits:
        yield Finding(
            check="release",
            wrong=True,
            sentence=f"vLLM {fit.release} is not traced: {fit.reasons[0]}.",
            remedy="Use a release of docs/vllm-releases.md, or a newer kvtrace.",
        )
    elif fit.unseen:
        yield Finding(
            check="release",
            wrong=False,
            sentence=f"On vLLM {fit.release} less is told of {', '.join(fit.unseen)}.",
            remedy="Nothing needs to be done; docs/vllm-releases.md says what is missing.",
        )


def _json(patients: Iterable[Patient], findings: list[Finding], fit: Fit | None) -> str:
    told = {
        "kvtrace": 1,
        "engines": [{"id": one.id, "name": one.name, "roles": one.roles} for one in patients],
        "vllm": fit,
        "findings": findings,
    }
    return msgspec.json.encode(told).decode()
