"""Listens until there is something to show once: for `kvtrace live --listen --once`."""

import time
from collections.abc import Callable, Iterator
from typing import Protocol

from kvtrace import words
from kvtrace.errors import KvtraceError
from kvtrace.moments import Lost, Moment

SETTLE = 2_000_000_000
"""Nanoseconds in which the other agents of a fleet are heard too, once the first was."""


class Receiver(Protocol):
    """What listens."""

    def watch(self, stop: Callable[[], bool]) -> Iterator[Moment]: ...
    def stop(self) -> None: ...
    def moments(self, at: int) -> Iterator[Moment]: ...


def first_heard(
    receiver: Receiver,
    limit: int,
    stop: Callable[[], bool],
    now: Callable[[], int] = time.monotonic_ns,
) -> Iterator[Moment]:
    """What arrives until a moment after the first word of an engine.

    Raises KvtraceError where none came within so many nanoseconds, KeyboardInterrupt where it was
    told to stop before any came.
    """
    ends = now() + limit
    heard = False

    def over() -> bool:
        return stop() or now() >= ends

    for moment in receiver.watch(over):
        if not heard and moment.news is not None and not isinstance(moment.news, Lost):
            heard = True
            ends = now() + SETTLE
        yield moment
    receiver.stop()
    for moment in receiver.moments(now()):
        heard = heard or (moment.news is not None and not isinstance(moment.news, Lost))
        yield moment
    if not heard and stop():
        raise KeyboardInterrupt
    if not heard:
        raise KvtraceError(
            f"no agent sent anything within {words.duration(limit)}: see that its "
            "OTEL_EXPORTER_OTLP_ENDPOINT leads here, or listen longer with --for"
        )
