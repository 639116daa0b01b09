"""`kvtrace explain`: the page of a cause."""

import click

from kvtrace.causes import ABOUT, Cause
from kvtrace.cli.streams import put
from kvtrace.errors import KvtraceError
from kvtrace.pages import page

EXAMPLES = """\b
Examples:
  kvtrace explain                       every cause by name
  kvtrace explain lease-ran-out
  kvtrace explain FM06                  by the failure mode's number
"""


def _causes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [cause for cause in Cause if incomplete in cause]


@click.command("explain", epilog=EXAMPLES)
@click.argument("cause", required=False, shell_complete=_causes)
def command(cause: str | None) -> None:
    """Print what CAUSE means, how to be sure of it, and what to do; without one, all by name."""
    if cause is None:
        width = max(map(len, Cause))
        put(f"{one:{width}}  {ABOUT[one].kind:10}  {ABOUT[one].label}" for one in Cause)
        return
    put([page(named(cause)).rstrip()])


def named(text: str) -> Cause:
    """The cause of that name, label or failure mode; raises KvtraceError where there is none."""
    wanted = text.strip().lower()
    for cause, about in ABOUT.items():
        modes = [mode.lower() for mode in about.modes]
        if wanted in (cause.value, about.label.lower(), *modes):
            return cause
    near = [one for one in Cause if any(part in one for part in wanted.split("-") if len(part) > 3)]
    hint = f"; did you mean {', '.join(near[:3])}?" if near else ""
    raise KvtraceError(f"no cause is called {text!r}{hint}: `kvtrace explain` lists all")
