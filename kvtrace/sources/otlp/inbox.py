"""What was received and not yet taken in, in bounded room.

The receiver's thread puts and never waits; the thread that shows or records takes.
"""

from collections import deque
from threading import Event, Lock

from kvtrace.moments import News

MOST_BYTES = 32 << 20
"""Of messages whose news wait; the news themselves take some three times as much."""

MOST_NEWS = 100_000


class Inbox:
    """News of messages in the order in which they came."""

    def __init__(self, *, most_bytes: int = MOST_BYTES, most_news: int = MOST_NEWS) -> None:
        self._most_bytes = most_bytes
        self._most_news = most_news
        self._waiting: deque[list[News]] = deque()
        self._lock = Lock()
        self._some = Event()
        self._bytes = 0
        self._news = 0

    @property
    def is_full(self) -> bool:
        """Whether no further message must be acknowledged."""
        return self._bytes >= self._most_bytes or self._news >= self._most_news

    @property
    def waiting(self) -> int:
        """How many news wait."""
        return self._news

    def put(self, news: list[News], size: int) -> None:
        """Keep these, which came in so many bytes; the caller has asked whether it is full."""
        with self._lock:
            self._waiting.append(news)
            self._bytes += size
            self._news += len(news)
            self._some.set()

    def wait(self, seconds: float) -> None:
        """Waits so long at most for something to be there."""
        self._some.wait(seconds)

    def take(self) -> list[News]:
        """All that waits; nothing waits then."""
        with self._lock:
            taken, self._waiting = self._waiting, deque()
            self._bytes = self._news = 0
            self._some.clear()
        return [one for news in taken for one in news]
