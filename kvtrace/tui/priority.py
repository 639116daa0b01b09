"""Lets keys be answered first, beside the thread that takes in events."""

import asyncio
import selectors
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from textual.app import App

from kvtrace.courtesy import COURTESY
from kvtrace.garbage import collect_seldom

TURN = 0.001
"""Seconds that one thread may work while another waits for its turn; Python's own are five."""


MADE = 5_000
"""Things made between two looks for garbage: none must hold a key up for a tenth of a second."""

PATIENCE = 0.05
"""Seconds that events wait for the screen at most, and then work beside it for."""


class Precedence:
    """Whether the screen is at work; while it is, other threads wait, but never for long."""

    def __init__(
        self, patience: float = PATIENCE, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Made by the thread that is to go first."""
        self._patience = patience
        self._now = now
        self._first = threading.get_ident()
        self._resting = threading.Event()
        self._resting.set()
        self._works = False
        self._tired = float("-inf")

    def begin(self) -> None:
        """The screen has something to do."""
        self._resting.clear()
        self._works = True

    def rest(self) -> None:
        """It waits for what comes."""
        self._works = False
        self._resting.set()

    def stand_aside(self) -> None:
        """Wait while the screen is at work; who waited in vain goes on beside it for as long."""
        if not self._works or threading.get_ident() == self._first or self._now() < self._tired:
            return
        if not self._resting.wait(self._patience):
            self._tired = self._now() + self._patience


class _Selector(selectors.DefaultSelector):
    """Knows that the screen rests while it waits for keys and timers."""

    def __init__(self, precedence: Precedence) -> None:
        super().__init__()
        self._precedence = precedence

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Wait, as any other does."""
        if timeout is not None and timeout <= 0:
            return super().select(timeout)
        self._precedence.rest()
        found = super().select(timeout)
        self._precedence.begin()
        return found


def keys_first() -> None:
    """Take turns often, and do not look through what is there by now for garbage."""
    sys.setswitchinterval(TURN)
    collect_seldom(MADE)


def run(app: App[Any]) -> None:
    """Run the app, whose work goes before what other threads do meanwhile."""
    precedence = Precedence()
    COURTESY.ask(precedence.stand_aside)
    try:
        with asyncio.Runner(loop_factory=lambda: loop(precedence)) as runner:
            runner.run(app.run_async())
    finally:
        COURTESY.ask(None)


def loop(precedence: Precedence) -> asyncio.AbstractEventLoop:
    """An event loop that has precedence while it works."""
    return asyncio.SelectorEventLoop(_Selector(precedence))
