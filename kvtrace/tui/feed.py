"""Walks the snapshots in a thread of its own, which the app starts and stops, and posts each.

The thread is woken by its iterator alone. It is a daemon, so that one whose iterator blocks for
ever does not keep the program from ending; otherwise it closes the iterator and is gone.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from textual.message import Message

from kvtrace.errors import KvtraceError
from kvtrace.snapshot import Snapshot

PAUSE = 2.0
"""Seconds after which a source that died is tried again."""


class SnapshotTaken(Message):
    """There is a newer snapshot; a slow screen skips all but the newest."""

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__()
        self.snapshot = snapshot

    def can_replace(self, message: Message) -> bool:
        """An older snapshot is of no use once there is a newer one."""
        return isinstance(message, SnapshotTaken)


class FeedEnded(Message):
    """There will be no more snapshots, unless the source comes back."""

    def __init__(self, reason: str | None) -> None:
        super().__init__()
        self.reason = reason
        """Why the source died; None where it came to its end."""


class Feed:
    """Posts each snapshot, and at last that there are no more."""

    def __init__(
        self, snapshots: Iterator[Snapshot], post: Callable[[Message], Any], pause: float = PAUSE
    ) -> None:
        """After an error the iterator is asked again; one that is a generator has ended then."""
        self._snapshots = snapshots
        self._post = post
        self._pause = pause
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._walk, name="kvtrace-feed", daemon=True)

    def start(self) -> None:
        """Begin to walk."""
        self._thread.start()

    def stop(self, patience: float = 0.5) -> None:
        """Post nothing more, and wait so many seconds at most for the iterator to be closed."""
        self._stopped.set()
        self._thread.join(patience)

    def _walk(self) -> None:
        try:
            lost = self._follow(lost=False)
            while lost and not self._stopped.wait(self._pause):
                lost = self._follow(lost=True)
        finally:
            bug = sys.exception()
            close = getattr(self._snapshots, "close", None)
            if close is not None:
                close()
            if bug is not None:
                self._tell(f"{type(bug).__name__}: {bug}")

    def _follow(self, *, lost: bool) -> bool:
        """Post what comes; whether it ended by an error that may pass."""
        try:
            for snapshot in self._snapshots:
                if self._stopped.is_set():
                    return False
                lost = False
                self._post(SnapshotTaken(snapshot))
        except (KvtraceError, OSError) as error:
            self._tell(str(error) or type(error).__name__)
            return True
        # What was lost and says no more is not over, but still lost.
        if not lost:
            self._tell(None)
        return False

    def _tell(self, reason: str | None) -> None:
        if not self._stopped.is_set():
            self._post(FeedEnded(reason))
