"""Keeps what is watched in a recording, and goes on watching where it can be kept no longer."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from kvtrace.errors import RecordingError
from kvtrace.moments import Moment
from kvtrace.recording import Header
from kvtrace.sinks.recording import RecordingWriter


class Tape:
    """A recording beside a screen: it must not end what is watched."""

    def __init__(self, path: Path, header: Header, *, force: bool = False) -> None:
        """Makes the file; raises RecordingError where that cannot be."""
        self._writer = RecordingWriter(path, header, force=force)
        self._trouble: RecordingError | None = None

    def beside(self, moments: Iterable[Moment], tell: Callable[[str], object]) -> Iterator[Moment]:
        """The same moments, each kept; tells at once when no more can be."""
        for moment in moments:
            if self._trouble is None:
                try:
                    self._writer.write(moment)
                except RecordingError as error:
                    self._trouble = error
                    tell(str(error))
            yield moment

    def keep(self, moments: Iterable[Moment]) -> None:
        """Keeps these too, if anything can be kept."""
        for _ in self.beside(moments, lambda _: None):
            pass

    def close(self) -> None:
        """Ends the file; raises what kept it from being whole."""
        self._writer.close()
        if self._trouble is not None:
            raise self._trouble
