"""Keeps what is watched in a recording, and goes on watching where it can be kept no longer."""

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from kvtrace import __version__
from kvtrace.errors import RecordingError
from kvtrace.moments import Moment
from kvtrace.recording import Header
from kvtrace.sinks.recording import RecordingWriter


def started(clock: str) -> Header:
    """The header of a recording that starts now."""
    return Header(
        version=__version__,
        started_at=time.time_ns(),
        monotonic=time.monotonic_ns(),
        clock=clock,
    )


class Tape:
    """A recording beside a screen: it must not end what is watched."""

    def __init__(self, path: Path, clock: str, *, force: bool = False) -> None:
        """Makes the file; raises RecordingError where that cannot be."""
        self.trouble: RecordingError | None = None
        self._writer = RecordingWriter(path, started(clock), force=force)

    def beside(self, moments: Iterable[Moment], tell: Callable[[str], object]) -> Iterator[Moment]:
        """The same moments, each kept; tells at once when no more can be."""
        for moment in moments:
            if self.trouble is None:
                try:
                    self._writer.write(moment)
                except RecordingError as error:
                    self.trouble = error
                    tell(f"kvtrace: {error}")
            yield moment

    def close(self) -> None:
        """Ends the file; raises what kept it from being whole."""
        self._writer.close()
        if self.trouble is not None:
            raise self.trouble
