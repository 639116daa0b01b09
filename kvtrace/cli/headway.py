"""Says on a terminal how far a long file has been read."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

from kvtrace import words
from kvtrace.cli.streams import tell
from kvtrace.moments import Moment

SOON = 1.0
"""Seconds: what is read sooner needs no word, and more often than that it is not drawn anew."""

EVERY = 1_000
"""Moments from one look at the time to the next."""

SURE = 0.02
"""The part of a file after which what is left can be told."""

T = TypeVar("T")


class File(Protocol):
    """What is read from its beginning to its end."""

    name: str

    @property
    def part(self) -> float | None:
        """How much of it is read."""

    def __iter__(self) -> Iterator[Moment]:
        """What is in it."""


def headway(file: File) -> Iterator[Moment]:
    """All that is in the file, while a terminal is told how far it is."""
    return Headway(file.name, lambda: file.part).over(file)


class Headway:
    """The line that comes and goes while a file is read."""

    def __init__(
        self,
        name: str,
        part: Callable[[], float | None],
        *,
        terminal: bool | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`part` says how much of it is read, from 0 to 1; None where that is not known."""
        self._name = name
        self._part = part
        self._now = now
        self._began = self._shown = now()
        self._terminal = sys.stderr.isatty() if terminal is None else terminal
        self._is_drawn = False

    def over(self, moments: Iterable[T]) -> Iterator[T]:
        """The same moments; however that ends, the line is gone."""
        try:
            for number, moment in enumerate(moments):
                if not number % EVERY and self._terminal:
                    self._look(number)
                yield moment
        finally:
            if self._is_drawn:
                tell("", start="\r", end="\x1b[K")

    def _look(self, number: int) -> None:
        now = self._now()
        if now - self._shown >= SOON:
            self._shown, self._is_drawn = now, True
            tell(
                f"kvtrace: reading {self._name}: {self._told(number, now)}",
                start="\r",
                end="\x1b[K",
            )

    def _told(self, number: int, now: float) -> str:
        part = self._part()
        if part is None:
            return f"{words.many(number, 'line')} so far"
        if part < SURE:
            return f"{part:.0%}"
        left = (now - self._began) * (1 - part) / part
        return f"{part:.0%}, about {max(1, round(left))} s left"
