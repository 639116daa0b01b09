"""Writes docs/configuration.md: every flag and every variable, from the code that reads them.

Run it from the repository after a change to either: `python tools/configuration.py`.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from kvtrace.cli import COMMANDS, kvtrace
from kvtrace.settings import VARIABLES

PAGE = Path(__file__).parent.parent / "docs" / "configuration.md"

HEAD = """\
# Configuration: every variable and every flag

This page is made from the code by `tools/configuration.py`; change it there. Each setting has a
default that is right for most; what nobody can guess is `KVTRACE=1`, and the endpoint where
something shall be sent.

## Environment variables
"""

REST = """\
All other `OTEL_EXPORTER_OTLP_*` variables (headers, certificates, compression, timeout, also for a
single signal) are read by OpenTelemetry's own exporters, as everywhere. The screen heeds
`NO_COLOR`, `TERM`, `COLORTERM` and the locale.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *_variables(), REST, *_commands()])


def _variables() -> Iterator[str]:
    yield "| variable | read by | default | what it does |"
    yield "|---|---|---|---|"
    for one in VARIABLES:
        yield f"| `{one.name}` | {one.reader} | {one.default} | {one.what} |"
    yield ""


def _commands() -> Iterator[str]:
    context = click.Context(kvtrace)
    for name, what in COMMANDS.items():
        command = kvtrace.get_command(context, name)
        assert command is not None
        yield f"## `kvtrace {name}`\n"
        yield f"{what}\n"
        yield from _flags(command)


def _flags(command: click.Command) -> Iterator[str]:
    arguments = [one for one in command.params if isinstance(one, click.Argument)]
    options = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    if arguments:
        said = ", ".join(f"`{one.human_readable_name}`" for one in arguments)
        yield f"Takes {said}.\n"
    if not options:
        return
    yield "| flag | default | what it does |"
    yield "|---|---|---|"
    for option in options:
        yield f"| {_name(option)} | {_default(option)} | {_cell(option.help or '')} |"
    yield ""


def _name(option: click.Option) -> str:
    value = "" if option.is_flag else f" {option.metavar or option.type.name.upper()}"
    return _cell(f"`{', '.join(option.opts)}{value}`")


def _default(option: click.Option) -> str:
    shown = isinstance(option.default, str | int | float) and not isinstance(option.default, bool)
    return f"`{option.default}`" if shown else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE}\n")


if __name__ == "__main__":
    main()
