"""`kvtrace replay`: a recording through the same monitor and the same screen."""

from contextlib import closing
from pathlib import Path

import click

from kvtrace.cli import options
from kvtrace.cli.interrupts import left_at_once
from kvtrace.cli.view import Form, View, view_options
from kvtrace.cli.watching import snapshots
from kvtrace.playback import MAX, Playback
from kvtrace.sources.recording import Recording, length, open_recording

EXAMPLES = """\b
Examples:
  kvtrace replay now.kvtrace
  kvtrace replay now.kvtrace --speed 10x
  kvtrace replay now.kvtrace --once --json | jq .phases
  ssh host cat now.kvtrace.gz | kvtrace replay - --plain
"""


@click.command("replay", epilog=EXAMPLES)
@click.argument("file", type=options.FILE)
@click.option(
    "--speed",
    metavar="X",
    type=options.speed,
    help="0.1x to 1000x, or max; else 1x on the screen, and max elsewhere.",
)
@view_options
def command(view: View, file: Path, speed: float | None) -> None:
    """Play FILE through the same monitor and the same screen as live; - is the standard input.

    A recording that was cut or damaged plays up to the damage.
    """
    with closing(open_recording(file)) as recording:
        if view.once:
            view.show(snapshots(recording, recording.header), str(file))
        else:
            _play(recording, file, view, speed)
        if recording.damage:
            view.say(f"{recording.name} {recording.damage}; shown is what can be read")


def _play(recording: Recording, file: Path, view: View, speed: float | None) -> None:
    on_screen = view.form is Form.SCREEN
    playback = Playback(
        recording.header.monotonic,
        length=length(file) if on_screen else None,
        speed=speed or (1.0 if on_screen else MAX),
    )
    with left_at_once():
        view.show(snapshots(playback.play(recording), recording.header), str(file), playback)
