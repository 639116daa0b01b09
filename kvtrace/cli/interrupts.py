"""Ends what runs until it is told to: by Ctrl-C, SIGTERM or SIGHUP, and in good order."""

import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from types import FrameType
from typing import TypeVar

Item = TypeVar("Item")

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def asked_to_stop() -> Iterator[Event]:
    """Sets the event at the first of these signals; a second one interrupts at once."""
    stop = Event()

    def heard(signum: int, frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    with heard_by(heard):
        yield stop


@contextmanager
def left_at_once() -> Iterator[None]:
    """Leaves the block at the first of these signals, even where it waits for something to read.

    For what leaves nothing half done.
    """

    def heard(signum: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    with heard_by(heard), suppress(KeyboardInterrupt):
        yield


@contextmanager
def heard_by(hear: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Has the signals call this function for as long as it lasts; but no SIGHUP under nohup."""
    deaf = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    heard = [number for number in SIGNALS if not (deaf and number is signal.SIGHUP)]
    before = {number: signal.signal(number, hear) for number in heard}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def die_of(number: int) -> None:
    """Ends the process by that signal, as if it had never been heard."""
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def end_with_parent(every: float = 0.5) -> None:
    """Ends this process soon after the one that started it is gone, whatever it is doing.

    For what draws through pipes: it would write to no one for ever.
    """
    parent = os.getppid()

    def look() -> None:
        while os.getppid() == parent:
            time.sleep(every)
        os._exit(1)

    Thread(target=look, name="kvtrace-parent", daemon=True).start()


def until(stop: Event, items: Iterable[Item]) -> Iterator[Item]:
    """The items, until the event is set."""
    for item in items:
        if stop.is_set():
            return
        yield item
