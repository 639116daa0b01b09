"""Says things on the standard streams, also where those are closed, full, or short of signs."""

import errno
import io
import os
import re
import sys
from collections.abc import Iterable
from typing import TextIO

import click

from kvtrace import words
from kvtrace.errors import KvtraceError

STREAMS = (
    ("stdin", "r", os.O_RDONLY),
    # Writing fails, just as on a full disk: results are never lost without a word.
    ("stdout", "w", os.O_RDONLY),
    ("stderr", "w", os.O_WRONLY),
)


def prepare() -> None:
    """Makes all three usable: the null device where one is closed, `?` for a sign it lacks."""
    for name, mode, access in STREAMS:
        if getattr(sys, name) is None:
            # The next file opened would else have its number, and get what others say there.
            null = os.open(os.devnull, access)
            setattr(sys, name, open(null, mode, encoding="utf-8"))  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def put(lines: Iterable[str]) -> None:
    """Prints results; a reader that went away ends it quietly.

    Raises KvtraceError where they cannot be written.
    """
    for line in lines:
        try:
            click.echo(line)
        except BrokenPipeError:
            _silence(sys.stdout)
            return
        except OSError as error:
            raise unwritten(error) from error


def tell(text: str, *, start: str = "", end: str = "\n") -> None:
    """Tells a person, in one line that no name from outside can break; no one need be there."""
    line = words.clean(re.sub(r"\s*\n\s*", " ", text))
    try:
        click.echo(f"{start}{line}{end}", err=True, nl=False)
    except OSError:
        _silence(sys.stderr)


def unwritten(error: OSError) -> KvtraceError:
    """What to say where results cannot be written; nothing more will be."""
    _silence(sys.stdout)
    if error.errno == errno.EBADF:
        return KvtraceError("the standard output is closed: send it somewhere, as to /dev/null")
    return KvtraceError(
        f"the standard output cannot be written ({error.strerror}): make room, or send it elsewhere"
    )


def _silence(stream: TextIO) -> None:
    """Sends the rest nowhere; else the interpreter tries again when it ends, and complains."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
