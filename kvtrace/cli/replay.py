"""`kvtrace replay`: a recording through the same monitor and the same screen."""

from contextlib import closing
from pathlib import Path

import click

from kvtrace.cli import options
from kvtrace.cli.view import View, view_options
from kvtrace.seeking import Target
from kvtrace.sources.recording import open_recording

EXAMPLES = """\b
Examples:
  kvtrace replay now.kvtrace
  kvtrace replay now.kvtrace --speed 10x
  kvtrace replay now.kvtrace --at 12:03:41
  kvtrace replay now.kvtrace --at 50% --once --json | jq .phases
  ssh host cat now.kvtrace.gz | kvtrace replay - --plain
"""


@click.command("replay", epilog=EXAMPLES)
@click.argument("file", type=options.FILE)
@click.option(
    "--at",
    "wanted",
    metavar="PLACE",
    type=options.place,
    help="Begin there, or with --once look there: 1m30s, 50%, 12:03:41 (12:03:41Z), or a part of "
    "an id for its first event.",
)
@click.option(
    "--speed",
    metavar="X",
    type=options.speed,
    help="0.1x to 1000x, or max.  [default: 1x on the screen, max elsewhere]",
)
@view_options
def command(view: View, file: Path, wanted: Target | None, speed: float | None) -> None:
    """Show the recording FILE as it looked live; - is the standard input.

    One that was cut or damaged is shown up to the damage. With --once, one that tells of no engine
    is told so, and it exits with 2.
    """
    # The rules take longer to import than all the rest, and help needs none of them.
    from kvtrace.cli.playing import play

    with closing(open_recording(file)) as recording:
        play(recording, file, view, speed, wanted)
        if recording.damage:
            view.say(f"{recording.name} {recording.damage}; shown is what can be read")
