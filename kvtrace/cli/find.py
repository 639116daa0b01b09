"""`kvtrace find`: what a request is called in what the agent sent."""

import click

from kvtrace.cli.streams import put
from kvtrace.identity import base_id
from kvtrace.signals.hashing import Hasher
from kvtrace.signals.ids import derived
from kvtrace.words import clean

EXAMPLES = """\b
Examples:
  kvtrace find cmpl-1b2c3d4e-0-5f6a7b8c
  KVTRACE_HASH_IDS=secret kvtrace find cmpl-1b2c3d4e-0-5f6a7b8c
"""


@click.command("find", epilog=EXAMPLES)
@click.argument("request", metavar="ID")
@click.option(
    "--secret",
    envvar="KVTRACE_HASH_IDS",
    default="",
    metavar="TEXT",
    help="What the agent hashes ids with; better told by KVTRACE_HASH_IDS, which nobody else sees.",
)
def command(request: str, secret: str) -> None:
    """Print what the request ID is called in logs and traces, and which trace it is in.

    ID is what an engine calls the request, or what both have alike of it. A request that came with
    a trace context of its own is in that trace instead.
    """
    if not request.strip():
        raise click.UsageError("ID is empty: name a request")
    request = request.strip()
    told = Hasher(secret).of(request) if secret else request
    base = base_id(told)
    put(
        [
            f"kvtrace.request  {clean(told)}",
            f"kvtrace.join     {clean(base)}",
            f"trace            {derived(base).trace_id.hex()}",
        ]
    )
