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
    heard, foreign = False, 0

    def over() -> bool:
        return stop() or now() >= ends

    for moment in receiver.watch(over):
        foreign += _foreign(moment)
        if not heard and moment.news is not None and not isinstance(moment.news, Lost):
            heard = True
            ends = now() + SETTLE
        yield moment
    receiver.stop()
    for moment in receiver.moments(now()):
        foreign += _foreign(moment)
        heard = heard or (moment.news is not None and not isinstance(moment.news, Lost))
        yield moment
    if not heard and stop():
        raise KeyboardInterrupt
    if not heard:
        others = ""
        if foreign:
            many = words.many(foreign, "log record or span", "log records and spans")
            others = f", only others did, {many}"
        raise KvtraceError(
            f"no agent sent anything within {words.duration(limit)}{others}: see that its "
            "OTEL_EXPORTER_OTLP_ENDPOINT leads here, or listen longer with --for"
        )


def _foreign(moment: Moment) -> int:
    """Log records and spans that it tells are not kvtrace's."""
    return moment.news.foreign if isinstance(moment.news, Lost) else 0
