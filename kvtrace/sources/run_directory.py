"""Follows all black boxes of a directory: those of living processes, and of those that died lately.

Nothing here waits for a writer or disturbs one; the only thing waited for is the next look.
"""

import os
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from pathlib import Path

from kvtrace.black_box import SUFFIX, Header
from kvtrace.errors import BlackBoxError
from kvtrace.moments import Lost, Moment, News, Record, Watched
from kvtrace.sources.black_box import BlackBoxReader
from kvtrace.sources.pulse import Pulse

HOUR = 3_600_000_000_000
POLL = 0.05
"""Seconds between two looks at the boxes: well under the tenth that silence is told within."""
SCAN = 500_000_000
"""Nanoseconds between two looks for new boxes."""


class RunDirectory:
    """The black boxes of one directory, which may still be missing."""

    def __init__(
        self,
        directory: Path,
        *,
        dead_for_ns: int = HOUR,
        wall: Callable[[], int] = time.time_ns,
        known: Collection[str] = (),
    ) -> None:
        """`known` are files of which it was told before that they cannot be read."""
        self.directory = directory
        self.missing = False
        """Whether the directory was not there at the last look."""
        self.present: frozenset[str] = frozenset()
        """The names of all black boxes that were there at the last look, without their suffix."""
        self.refused: dict[str, str] = {}
        """Why, by file name, what looks like a black box cannot be read."""
        self._dead_for = dead_for_ns
        self._wall = wall
        self._readers: dict[str, BlackBoxReader] = {}
        self._passed_over: set[str] = set()
        self._known = frozenset(known)
        self.complained: tuple[str, ...] = ()
        """The files that the last poll tells cannot be read, in the order in which it does."""

        self._complaints: list[str] = []

    def scan(self) -> None:
        """Find boxes that are new, and forget those that are gone.

        Raises BlackBoxError where the directory is there but cannot be listed.
        """
        names = self._names()
        self.present = frozenset(name.removesuffix(SUFFIX) for name in names)
        self._passed_over &= names
        refused, self.refused = self.refused, {}
        for name in sorted(names - self._passed_over - self._readers.keys()):
            try:
                self._meet(name)
            except BlackBoxError as error:
                self.refused[name] = str(error)
                # A box that is just being made gets time until the next look.
                if name in refused:
                    self._refuse(name, str(error))
        self.refused |= {name: why for name, why in refused.items() if name in self._passed_over}

    @property
    def followed(self) -> dict[str, Header]:
        """What each box that is followed says of itself, by its process."""
        return {reader.header.process: reader.header for reader in self._readers.values()}

    def poll(self, enough: int | None = None) -> list[News]:
        """What is new in all of them: records as they happened, then losses and ends.

        Where a number is enough, boxes are left for the next poll once so much news is there.
        """
        news: list[News] = []
        for name, reader in list(self._readers.items()):
            if enough is not None and len(news) >= enough:
                break
            # Whoever was looked at comes last in the next poll.
            self._readers[name] = self._readers.pop(name)
            try:
                news += reader.poll()
            except BlackBoxError as error:
                self._refuse(name, str(error))
            if reader.ended or name in self._passed_over:
                self._passed_over.add(name)
                self._readers.pop(name).close()
        self.complained = tuple(self._complaints)
        news += [Lost(unreadable=1) for _ in self._complaints]
        self._complaints.clear()
        return sorted(news, key=_order)

    def close(self) -> None:
        """Let go of all files."""
        for reader in self._readers.values():
            reader.close()
        self._readers.clear()

    def _names(self) -> set[str]:
        self.missing = False
        try:
            return {name for name in os.listdir(self.directory) if name.endswith(SUFFIX)}
        except FileNotFoundError:
            self.missing = True
            return set()
        except OSError as error:
            raise BlackBoxError(
                f"{self.directory}: cannot be listed ({error.strerror}); "
                "run kvtrace as the user who runs the engines, or name another directory"
            ) from error

    def _meet(self, name: str) -> None:
        """Follow the box, unless its process died too long ago."""
        reader = BlackBoxReader(self.directory / name)
        if self._wall() - reader.wall > self._dead_for and not reader.living:
            self._passed_over.add(name)
            reader.close()
        else:
            self._readers[name] = reader

    def _refuse(self, name: str, why: str) -> None:
        self.refused[name] = why
        self._passed_over.add(name)
        if name not in self._known:
            self._complaints.append(name)


def _order(news: News) -> tuple[int, int]:
    return (0, news.at) if isinstance(news, Record) else (1, 0)


def any_box(directory: Path) -> bool:
    """Whether there is a black box at all."""
    try:
        return any(name.endswith(SUFFIX) for name in os.listdir(directory))
    except OSError:
        return False


def watch(
    directory: Path,
    *,
    dead_for_ns: int = HOUR,
    now: Callable[[], int] = time.monotonic_ns,
    sleep: Callable[[float], None] = time.sleep,
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[Moment]:
    """What happens in the directory's black boxes, until told to stop.

    When nothing happens, the time, some twenty times a second. A missing directory is waited for.
    Raises BlackBoxError where the directory cannot be listed.
    """
    pulse = Pulse()
    with closing(RunDirectory(directory, dead_for_ns=dead_for_ns)) as boxes:
        scanned = now() - SCAN
        while not stop():
            felt: list[Watched] = []
            if now() - scanned >= SCAN:
                scanned = now()
                boxes.scan()
                felt = pulse.feel(boxes.followed.values(), scanned)
            yield from _moments([*boxes.poll(), *felt], now())
            sleep(POLL)


def read_once(
    directory: Path,
    *,
    dead_for_ns: int = HOUR,
    now: Callable[[], int] = time.monotonic_ns,
) -> Iterator[Moment]:
    """What the directory's black boxes hold now; the last moment tells the time."""
    with closing(RunDirectory(directory, dead_for_ns=dead_for_ns)) as boxes:
        boxes.scan()
        at = now()
        yield from (Moment(at, news) for news in boxes.poll())
        yield from (Moment(at, it) for it in Pulse().feel(boxes.followed.values(), at))
        yield Moment(at)


def _moments(news: list[News], at: int) -> Iterator[Moment]:
    yield from (Moment(at, it) for it in news)
    if not news:
        yield Moment(at)
