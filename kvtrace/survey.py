"""Looks once through a whole recording for what its bar shows, and leaves checkpoints."""

from collections.abc import Iterator

from kvtrace.checkpoints import Checkpoints
from kvtrace.events import ProcessStarted
from kvtrace.marks import Kind, Marking, Marks
from kvtrace.moments import Ended, Moment, Record
from kvtrace.walk import Walk

LOOKS = 256
"""Times that stalls are looked for; none is closer to another than a quarter of a second."""

LEAST = 250_000_000
OFTEN = 5_000
"""Moments between two reports of what was found so far."""


def survey(walk: Walk, start: int, length: int, kept: Checkpoints) -> Iterator[Marks]:
    """What was found so far, again and again; the last is whole.

    The walk is at its beginning, and `start` is the instant that positions count from.
    """
    made = Marking(length)
    stalls = _Stalls(max(length // LOOKS, LEAST))
    failures, damage = 0, ""
    kept.keep(walk.checkpoint)
    while (moment := walk.ahead) is not None:
        walk.take()
        position = moment.at - start
        _note(moment, position, made)
        if walk.failures > failures:
            made.mark(position, Kind.FAILED)
        failures = walk.failures
        if walk.damage != damage:
            damage = walk.damage
            made.mark(position, Kind.TORN)
        for since in stalls.look(walk, moment.at):
            made.mark(since - start, Kind.STALLED)
        if walk.taken % OFTEN == 0:
            yield made.marks(position)
            if kept.wants(walk.taken):
                kept.keep(walk.checkpoint)
    yield made.marks(length, whole=True)


def _note(moment: Moment, position: int, made: Marking) -> None:
    match moment.news:
        case Record(event=event):
            made.count(position)
            if isinstance(event, ProcessStarted):
                made.mark(position, Kind.ENGINE)
        case Ended():
            made.mark(position, Kind.ENGINE)
        case _:
            pass


class _Stalls:
    """Which transfers were seen to be stalled, at looks that are far enough apart."""

    def __init__(self, every: int) -> None:
        self._every = every
        self._due = 0
        self._known: set[tuple[str, int]] = set()

    def look(self, walk: Walk, at: int) -> list[int]:
        """Since when those are that were not when one looked last."""
        if at < self._due and walk.ahead is not None:
            return []
        self._due = at + self._every
        now = set(walk.stalled(at).items())
        fresh, self._known = now - self._known, now
        return sorted(since for _, since in fresh)
