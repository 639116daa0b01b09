"""`kvtrace version`."""

import click

from kvtrace import __version__


@click.command("version")
def command() -> None:
    """Say which kvtrace this is."""
    click.echo(f"kvtrace {__version__}")
