"""Makes a recording on disk one that can be gone back and forth in, with a thread that surveys it.

The thread belongs to the context that starts it, walks a copy of the file of its own, rests while
the player looks for a place, and ends when the playback is stopped.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from kvtrace.checkpoints import Checkpoints
from kvtrace.errors import KvtraceError, RecordingError
from kvtrace.playback import Playback
from kvtrace.player import Player
from kvtrace.recording import Header
from kvtrace.seeking import Span, Target, found
from kvtrace.snapshot import Snapshot
from kvtrace.sources.recording import Recording, first_of, length, open_recording
from kvtrace.survey import survey
from kvtrace.walk import Walk

REST = 0.02
"""Seconds that the survey leaves to a player that looks for a place, each time."""


def place_of(wanted: Target, file: Path, header: Header) -> int:
    """Nanoseconds since the recording's start; raises KvtraceError where that is not in it."""
    span = Span(started_at=header.started_at, length=length(file))
    place = found(wanted, span, lambda text: _first_of(file, text))
    if isinstance(place, str):
        raise KvtraceError(f"--at leads nowhere in {file}: {place}")
    return place


def known_at(recording: Recording, position: int) -> Snapshot:
    """All that was known there."""
    walk = Walk(recording)
    at = recording.header.monotonic + position
    while walk.ahead is not None and walk.ahead.at <= at:
        walk.take()
    return walk.look(at)


@contextmanager
def player_of(recording: Recording, file: Path, playback: Playback) -> Iterator[Player]:
    """A player; the marks on the playback grow while it is used."""
    kept = Checkpoints()
    header = recording.header
    span = Span(started_at=header.started_at, length=playback.length)
    look = threading.Thread(
        target=_survey, args=(file, playback, kept), name="kvtrace-survey", daemon=True
    )
    look.start()
    try:
        yield Player(
            Walk(recording),
            playback,
            span,
            kept=kept,
            first=lambda text: _first_of(file, text),
        )
    finally:
        playback.stop()
        look.join()


def look_through(file: Path, playback: Playback) -> None:
    """Finds all marks of the recording."""
    _survey(file, playback, Checkpoints(most=1))


def _survey(
    file: Path,
    playback: Playback,
    kept: Checkpoints,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    try:
        with closing(open_recording(file)) as recording:
            start = recording.header.monotonic
            for marks in survey(Walk(recording), start, playback.length or 0, kept):
                playback.marks = marks
                while playback.searched is not None and not playback.stopped:
                    sleep(REST)
                if playback.stopped:
                    return
    except RecordingError as error:
        playback.said = str(error)


def _first_of(file: Path, text: str) -> int | None:
    if str(file) == "-":
        raise KvtraceError("the standard input can be read only once: keep it in a file first")
    return first_of(file, text)
