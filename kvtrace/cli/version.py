"""`kvtrace version`."""

import click

from kvtrace import __version__
from kvtrace.cli.streams import put


@click.command("version")
def command() -> None:
    """Say which kvtrace this is."""
    put([f"kvtrace {__version__}"])
