"""`kvtrace replay`: a recording through the same monitor and the same screen."""

from collections.abc import Iterator
from contextlib import closing
from itertools import dropwhile
from pathlib import Path

import click

from kvtrace.cli import options
from kvtrace.cli.interrupts import left_at_once
from kvtrace.cli.replaying import known_at, look_through, place_of, player_of
from kvtrace.cli.view import Form, View, view_options
from kvtrace.cli.watching import snapshots
from kvtrace.playback import MAX, Playback
from kvtrace.seeking import Position, Target
from kvtrace.snapshot import Snapshot
from kvtrace.sources.recording import Recording, length, open_recording

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
    help="0.1x to 1000x, or max; else 1x on the screen, and max elsewhere.",
)
@view_options
def command(view: View, file: Path, wanted: Target | None, speed: float | None) -> None:
    """Play FILE through the same monitor and the same screen as live; - is the standard input.

    A recording that was cut or damaged plays up to the damage.
    """
    with closing(open_recording(file)) as recording:
        begin = None if wanted is None else place_of(wanted, file, recording.header)
        if view.once:
            playback = _surveyed(recording, file, begin) if view.svg is not None else None
            view.show(_once(recording, begin), str(file), playback)
        elif view.form is Form.SCREEN and file.is_file():
            _screen(recording, file, view, _playback(recording, file, speed or 1.0, begin))
        else:
            _play(recording, file, view, (speed, begin or 0))
        if recording.damage:
            view.say(f"{recording.name} {recording.damage}; shown is what can be read")


def _once(recording: Recording, begin: int | None) -> Iterator[Snapshot]:
    if begin is None:
        return snapshots(recording, recording.header)
    return iter([known_at(recording, begin)])


def _surveyed(recording: Recording, file: Path, begin: int | None) -> Playback | None:
    """One that stands there, with all marks; None where the recording can be read only once."""
    if not file.is_file():
        return None
    playback = _playback(recording, file, 1.0, None)
    playback.pause()
    playback.reach(playback.length or 0 if begin is None else begin)
    look_through(file, playback)
    return playback


def _playback(recording: Recording, file: Path, speed: float, begin: int | None) -> Playback:
    playback = Playback(recording.header.monotonic, length=length(file), speed=speed)
    if begin is not None:
        playback.go(Position(begin))
    return playback


def _screen(recording: Recording, file: Path, view: View, playback: Playback) -> None:
    with left_at_once(), player_of(recording, file, playback) as player:
        view.show(player.snapshots(), str(file), playback)


def _play(recording: Recording, file: Path, view: View, how: tuple[float | None, int]) -> None:
    """As it comes: lines, or a screen over what can be read only once."""
    speed, begin = how
    start = recording.header.monotonic
    default = 1.0 if view.form is Form.SCREEN else MAX
    playback = Playback(start, speed=speed or default)
    playback.reach(begin)
    shown = snapshots(playback.play(recording), recording.header)
    with left_at_once():
        view.show(
            dropwhile(lambda one: one.at < start + begin, shown) if begin else shown,
            str(file),
            playback,
        )
