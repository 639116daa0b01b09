"""`kvtrace explain`: the page of a cause."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from kvtrace.causes import ABOUT, Cause, Kind
from kvtrace.cli.streams import put
from kvtrace.errors import KvtraceError
from kvtrace.pages import meaning, page

NARROW, WIDE = 80, 100
"""Columns where nothing tells how many there are, and those beyond which lines read badly."""

EXAMPLES = """\b
Examples:
  kvtrace explain                       every cause, by what it does
  kvtrace explain lease-ran-out
  kvtrace explain FM06                  by the failure mode's number
"""


def _causes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [cause for cause in Cause if incomplete in cause]


@click.command("explain", epilog=EXAMPLES)
@click.argument("cause", required=False, shell_complete=_causes)
def command(cause: str | None) -> None:
    """Print what CAUSE means, how to be sure of it, and what to do; without one, list all causes.

    On a terminal it fits its width; elsewhere it is plain text, in lines of 80 columns.
    """
    terminal = sys.stdout.isatty()
    columns = shutil.get_terminal_size((NARROW, 24)).columns if terminal else 0
    if cause is None:
        put(_all(columns))
        return
    text = page(named(cause))
    # Rich takes longer to import than all the rest, and only a page needs it.
    from kvtrace.tui.printed import printed

    styled = terminal and os.environ.get("TERM") != "dumb"
    put(printed(text, min(columns or NARROW, WIDE), styled=styled))


def _all(columns: int) -> Iterator[str]:
    """All by their kinds and names, each with what it means, in so many columns; 0 for any."""
    width = max(map(len, Cause))
    for kind in Kind:
        found = sorted(cause for cause in Cause if ABOUT[cause].kind is kind)
        if not found:
            continue
        yield from ([""] if kind is not next(iter(Kind)) else [])
        yield f"{kind}: {WHAT[kind]}"
        for cause in found:
            line = f"  {cause:{width}}  {meaning(cause)}"
            yield line if not columns or len(line) <= columns else f"{line[: columns - 1]}…"


WHAT = {
    Kind.STALL: "waits, and will not go on by itself",
    Kind.FAILURE: "ended with an error",
    Kind.CORRUPTION: "may have taken wrong values",
    Kind.SLOW: "goes on, later than it could",
    Kind.LEAK: "blocks or memory are held for nobody",
}
"""What each kind does to a transfer."""


def named(text: str) -> Cause:
    """The cause of that name, label or failure mode; raises KvtraceError where there is none."""
    wanted = text.strip().lower()
    for cause, about in ABOUT.items():
        modes = [mode.lower() for mode in about.modes]
        if wanted in (cause.value, about.label.lower(), *modes):
            return cause
    if Path(text).exists():
        raise KvtraceError(
            f"explain takes the name of a cause: `kvtrace diagnose {text}` says what is wrong in it"
        )
    near = [one for one in Cause if any(part in one for part in wanted.split("-") if len(part) > 3)]
    hint = f"; did you mean {', '.join(near[:3])}?" if near else ""
    raise KvtraceError(f"no cause is called {text!r}{hint}: `kvtrace explain` lists all")
