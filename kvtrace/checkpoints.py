"""Keeps what was known at some points of a recording, so that going back is not beginning anew."""

from collections import Counter, OrderedDict, deque
from threading import Lock
from typing import Any

import msgspec

from kvtrace.census import Census
from kvtrace.moments import Moment

MOST = 8
"""Kept at once: each holds on to some thousand transfers that ended before it."""

APART = 20_000
"""Moments between two at least; twice as many each time that there is no more room."""

NEAR = 4
"""Kept beside those, for steps back."""


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """What was known when so many moments were taken in, and how to go on from there."""

    census: Census
    """Never changed: a walk that begins here makes a copy."""

    taken: int
    at: int
    """Of the last that was taken."""

    due: int | None
    ahead: Moment | None
    """The next, which was read already."""

    place: Any
    """Where the source of the moments had come to."""


class Checkpoints:
    """Some, far apart, over the whole recording, and a few where one steps; for several threads."""

    def __init__(self, *, apart: int = APART, most: int = MOST) -> None:
        self._apart = apart
        self._most = most
        self._lock = Lock()
        self._kept: dict[int, Checkpoint] = {}
        self._near: deque[Checkpoint] = deque(maxlen=NEAR)

    def wants(self, taken: int) -> bool:
        """Whether one is missing where so many moments were taken."""
        with self._lock:
            return all(abs(taken - known) >= self._apart for known in self._kept)

    def keep(self, made: Checkpoint) -> None:
        """Keep it; where there is no more room every second one goes, but for the first."""
        with self._lock:
            self._kept[made.taken] = made
            if len(self._kept) > self._most:
                self._kept = {n: self._kept[n] for n in sorted(self._kept)[::2]}
                self._apart *= 2

    def keep_near(self, made: Checkpoint) -> None:
        """Keep it until a few newer ones came."""
        with self._lock:
            self._near.append(made)

    def before(self, at: int | None = None, taken: int | None = None) -> Checkpoint | None:
        """The last before an instant, or before so many moments were taken."""
        with self._lock:
            every = [*self._kept.values(), *self._near]
        fit = [
            one
            for one in every
            if (at is None or one.at <= at) and (taken is None or one.taken <= taken)
        ]
        return max(fit, key=lambda one: one.taken, default=None)


def copied(census: Census) -> Census:
    """All that changes, once more; what is frozen is shared."""
    made: Census = _copied(census, {})
    return made


def _copied(thing: Any, known: dict[int, Any]) -> Any:
    kind = type(thing)
    if kind in _MAPS:
        if not any(_changes(value) for value in thing.values()):
            return thing.copy()
        return kind({key: _copied(value, known) for key, value in thing.items()})
    if kind is deque:
        return deque((_copied(item, known) for item in thing), thing.maxlen)
    if kind in (list, set) or (kind is tuple and _changes(thing)):
        return kind(_copied(item, known) for item in thing)
    if not _changes(thing):
        return thing
    if id(thing) not in known:
        made = known[id(thing)] = object.__new__(kind)
        made.__dict__.update({n: _copied(value, known) for n, value in vars(thing).items()})
    return known[id(thing)]


def _changes(thing: Any) -> bool:
    """Whether it is changed in place: a collection, an object of our own, or a tuple of such."""
    kind = type(thing)
    if kind is tuple:
        return any(_changes(item) for item in thing)
    return kind in _COLLECTIONS or _is_open(kind)


def _is_open(kind: type) -> bool:
    frozen = issubclass(kind, msgspec.Struct | str | int)
    return kind.__module__.startswith("kvtrace.") and not frozen


_MAPS = frozenset((dict, Counter, OrderedDict))
_COLLECTIONS = _MAPS | {list, set, deque}
