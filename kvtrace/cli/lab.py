"""`kvtrace lab`: breaks real engines in known ways; a part of a checkout, not of the wheel."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import FrameType

import click

from kvtrace.cli.interrupts import heard_by
from kvtrace.errors import KvtraceError

CHECKOUT = Path(__file__).parents[2] / "examples"

EXAMPLES = """\b
Examples:
  kvtrace lab list
  kvtrace lab run prefill-dropped
  kvtrace lab run --all --json > results.json
  kvtrace lab page results.json > docs/lab.md
  kvtrace lab healthy --seconds 900
  kvtrace lab run --help
"""


@click.command(
    "lab",
    epilog=EXAMPLES,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def command(words: tuple[str, ...]) -> int:
    """Break real engines in known ways, and see which cause is named for each.

    \b
    WORDS:
      list         which scenarios there are, and the cause that is to be named
      run NAME...  play these on real engines; run --all plays all of them
      page FILE... make one table of what was named in several runs
      healthy      send healthy requests, for which nothing is to be named

    Each has a --help of its own. It needs a checkout of kvtrace; run and healthy need vLLM and NIXL
    beside it, which `make setup-engines` installs.
    """
    lab = [sys.executable, "-m", "lab.main", *(words or ("--help",))]
    return waited(subprocess.Popen(lab, env=environment(CHECKOUT)))


def environment(place: Path, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What the lab in this folder is run with; raises KvtraceError where there is none."""
    if not (place / "lab").is_dir():
        raise KvtraceError(
            "the lab is not part of this installation: run it in a checkout of kvtrace, "
            "after `make setup-engines`"
        )
    path = os.pathsep.join(filter(None, (str(place), environ.get("PYTHONPATH"))))
    return {**environ, "PYTHONPATH": path}


def waited(lab: subprocess.Popen[bytes]) -> int:
    """Its exit code; Ctrl-C reaches it as well, and it tidies up before it ends."""

    def heard(number: int, frame: FrameType | None) -> None:
        if number != signal.SIGINT:
            lab.send_signal(number)

    with heard_by(heard):
        code = lab.wait()
    return code if code >= 0 else 128 - code
