"""Plays a recording as the options ask: once, on the screen, or as it comes."""

from collections.abc import Iterator
from itertools import dropwhile
from pathlib import Path

from kvtrace.cli.headway import headway
from kvtrace.cli.interrupts import left_at_once
from kvtrace.cli.replaying import known_at, look_through, place_of, player_of
from kvtrace.cli.silence import silent
from kvtrace.cli.view import Form, View
from kvtrace.cli.watching import snapshots
from kvtrace.errors import KvtraceError
from kvtrace.playback import MAX, Playback
from kvtrace.seeking import Position, Target
from kvtrace.snapshot import Snapshot
from kvtrace.sources.recording import Recording, length


def play(
    recording: Recording, file: Path, view: View, speed: float | None, wanted: Target | None
) -> None:
    """Shows the recording; raises KvtraceError where the place that is wanted is not in it."""
    begin = None if wanted is None else place_of(wanted, file, recording.header)
    if view.once:
        playback = _surveyed(recording, file, begin) if view.svg is not None else None
        view.show(_once(recording, file, begin), str(file), playback)
    elif view.form is Form.SCREEN and file.is_file():
        _screen(recording, file, view, _playback(recording, file, speed or 1.0, begin))
    else:
        _play(recording, file, view, (speed, begin or 0))


def _once(recording: Recording, file: Path, begin: int | None) -> Iterator[Snapshot]:
    if begin is None:
        return _heard(snapshots(headway(recording), recording.header), file)
    return iter([known_at(recording, begin)])


def _heard(shown: Iterator[Snapshot], file: Path) -> Iterator[Snapshot]:
    """The same; raises KvtraceError where no engine is heard to the end."""
    last = None
    for last in shown:
        yield last
    if last is None or not last.engines:
        raise KvtraceError(silent(file))


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
