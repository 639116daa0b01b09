"""How long to wait before the next attempt: ever longer, never all at once, up to a limit."""

import random
from collections.abc import Callable

FIRST = 0.5
"""Seconds before the second attempt."""

MOST = 30.0
"""Seconds that we wait by ourselves."""

ASKED = 300.0
"""Seconds that an endpoint may ask for."""


class Patience:
    """Counts the attempts that failed one after another."""

    def __init__(self, chance: Callable[[], float] = random.random) -> None:
        self._chance = chance
        self._failed = 0

    def fail(self, asked: float | None = None) -> float:
        """Seconds to wait after one more failure, or as long as was asked for, if that is more."""
        wait = min(MOST, FIRST * (1 << min(self._failed, 16))) * (0.5 + self._chance())
        self._failed += 1
        return max(wait, min(asked or 0.0, ASKED))

    def succeed(self) -> None:
        """Begin anew."""
        self._failed = 0
