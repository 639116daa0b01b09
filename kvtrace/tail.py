"""The last that was heard, of everything, in bounded room."""

from collections import deque

from kvtrace.moments import Ended, Lost, Record
from kvtrace.readings import Heard

KEPT = 5_000
"""Events that can be looked back on."""


class Tail:
    """A queue that drops its oldest."""

    def __init__(self, kept: int = KEPT) -> None:
        self._heard: deque[Heard] = deque(maxlen=kept)
        self._count = 0
        self._given: tuple[Heard, ...] = ()

    def hear(self, news: Record | Lost | Ended, at: int) -> None:
        """Take in what happened then, in nanoseconds of our clock; what others sent is not kept."""
        if isinstance(news, Lost) and not news.is_loss:
            return
        self._count += 1
        self._heard.append(Heard(self._count, at, news))

    def last(self) -> tuple[Heard, ...]:
        """All that is kept, in the order in which it was heard."""
        if not self._given or self._given[-1].number != self._count:
            self._given = tuple(self._heard)
        return self._given
