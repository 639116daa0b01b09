"""Says how sending goes: one line when it changes, and never many in a short time."""

import threading
import time
from collections.abc import Callable

BETWEEN = 10.0
"""Seconds between two lines on the same matter."""


class Journal:
    """Threads may share it."""

    def __init__(
        self, tell: Callable[[str], object], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._tell = tell
        self._now = now
        self._lock = threading.Lock()
        self._state: dict[str, str] = {}
        self._told: dict[str, float] = {}
        self._later: dict[str, tuple[str, str]] = {}

    def is_(self, matter: str, state: str, sentence: str) -> None:
        """Say the sentence, if the matter is in another state than was said of it last."""
        with self._lock:
            self._later.pop(matter, None)
            if self._state.get(matter, "") == state:
                return
            if self._now() - self._told.get(matter, -BETWEEN) < BETWEEN:
                self._later[matter] = state, sentence
                return
            self._say(matter, state, sentence)

    def catch_up(self) -> None:
        """Say what has changed since, of what was said too lately to be said again at once."""
        with self._lock:
            for matter, (state, sentence) in list(self._later.items()):
                if self._now() - self._told[matter] >= BETWEEN:
                    del self._later[matter]
                    self._say(matter, state, sentence)

    def note(self, sentence: str) -> None:
        """Say something that happens but once."""
        with self._lock:
            self._tell(sentence)

    def _say(self, matter: str, state: str, sentence: str) -> None:
        self._state[matter] = state
        self._told[matter] = self._now()
        self._tell(sentence)
