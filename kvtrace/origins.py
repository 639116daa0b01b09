"""Schedulers and ranks, and what is known of the process that runs each, in bounded room."""

from collections.abc import Collection
from typing import TypeAlias

import msgspec

from kvtrace.events import ProcessStarted, ProcessStopped, StepSampled, TracingStopped
from kvtrace.keeping import keep
from kvtrace.model import Mark
from kvtrace.moments import Ended, Record, Watched

MOST_ORIGINS = 16_384
"""Of all engines together; beyond that those give way that are gone, then the longest silent."""

Key: TypeAlias = tuple[str, int]
"""Process and rank."""


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """One scheduler, or one rank, of an engine, in the process that runs it."""

    process: str
    rank: int
    since: int
    """When we first heard of it, in nanoseconds of our clock."""

    began: Mark
    """Of the first that it told."""

    started: ProcessStarted | None = None
    stopped: bool = False
    """Whether it said goodbye."""

    gone: bool = False
    """Whether its process is no more."""

    untraced: bool = False
    watched: int | None = None
    """When somebody last told of having looked at it, in nanoseconds of our clock."""

    frozen: bool = False
    """Whether it was stopped when it was last looked at."""

    longest: int = 0
    """Nanoseconds of its longest step, as it told last."""


class Origins:
    """All of every engine, found by engine and by process."""

    def __init__(self, most: int = MOST_ORIGINS) -> None:
        self.forgotten = 0
        """Those given up for room, though they were not gone."""

        self._most = most
        self._count = 0
        self._engines: dict[str, dict[Key, Origin]] = {}
        self._places: dict[str, dict[tuple[str, Key], None]] = {}
        """Where those of each process are."""

        self._gone: dict[str, bool] = {}
        self._watched: dict[str, tuple[int, bool]] = {}

    def of(self, engine: str) -> Collection[Origin]:
        """All of the engine, in the order in which they were first heard."""
        return self._engines.get(engine, {}).values()

    def hear(self, record: Record, seen: int) -> None:
        """Take in what the record says of the one that tells it."""
        key = (record.process, record.rank)
        mine = self._engines.get(record.engine)
        known = mine.get(key) if mine is not None else None
        if known is None:
            if self._count >= self._most:
                self._make_room()
            known = self._introduced(record, seen)
            self._engines.setdefault(record.engine, {})[key] = known
            self._places.setdefault(record.process, {})[record.engine, key] = None
            self._count += 1
        if type(record.event) in _OF_ITSELF:
            self._engines[record.engine][key] = _told(known, record)

    def end(self, news: Ended) -> None:
        """Take in that a process is gone."""
        keep(self._gone, news.process, news.goodbye, self._most)
        for engine, key in self._places.get(news.process, ()):
            origins = self._engines[engine]
            origins[key] = _gone(origins[key], news.goodbye)

    def watch(self, news: Watched, seen: int) -> None:
        """Take in that a process was looked at."""
        told = seen, news.state == "frozen"
        keep(self._watched, news.process, told, self._most)
        for engine, key in self._places.get(news.process, ()):
            origins = self._engines[engine]
            origins[key] = _watched(origins[key], told)

    @property
    def gone(self) -> Collection[str]:
        """The processes that are no more."""
        return self._gone.keys()

    def all_gone(self, processes: frozenset[str]) -> bool:
        """Whether there are such processes, and none of them is any more."""
        return bool(processes) and processes <= self._gone.keys()

    def worth(self, engine: str) -> tuple[bool, int]:
        """Whether any of the engine lives, and when one was last told of."""
        return max(map(_worth, self.of(engine)), default=(False, 0))

    def forget(self, engine: str) -> None:
        """Forget all of the engine."""
        for key in list(self._engines.get(engine, ())):
            self._drop(engine, key)

    def _make_room(self) -> None:
        """Forget an eighth of all at once, since to choose them takes time."""
        every = [
            (_worth(one), engine, key)
            for engine, origins in self._engines.items()
            for key, one in origins.items()
        ]
        for (living, _), engine, key in sorted(every)[: max(1, len(every) // 8)]:
            self.forgotten += living
            self._drop(engine, key)

    def _drop(self, engine: str, key: Key) -> None:
        origins, places = self._engines[engine], self._places[key[0]]
        del origins[key], places[engine, key]
        if not origins:
            del self._engines[engine]
        if not places:
            del self._places[key[0]]
        self._count -= 1

    def _introduced(self, record: Record, seen: int) -> Origin:
        origin = Origin(
            process=record.process, rank=record.rank, since=seen, began=mark_of(record, seen)
        )
        if record.process in self._watched:
            origin = _watched(origin, self._watched[record.process])
        if record.process in self._gone:
            return _gone(origin, self._gone[record.process])
        return origin


def mark_of(record: Record, seen: int) -> Mark:
    """When the record was told, and seen."""
    return Mark(record.at, record.wall, record.clock, seen)


def _worth(origin: Origin) -> tuple[bool, int]:
    """Whether it lives, and when it was last told of; the least gives way first."""
    return not origin.gone, max(origin.since, origin.watched or 0)


def _told(origin: Origin, record: Record) -> Origin:
    match record.event:
        case ProcessStarted() as started:
            return msgspec.structs.replace(origin, started=started)
        case ProcessStopped():
            return msgspec.structs.replace(origin, stopped=True)
        case TracingStopped():
            return msgspec.structs.replace(origin, untraced=True)
        case StepSampled(longest=longest):
            return msgspec.structs.replace(origin, longest=longest)
        case _:
            return origin


def _gone(origin: Origin, goodbye: bool) -> Origin:
    return msgspec.structs.replace(origin, gone=True, stopped=origin.stopped or goodbye)


def _watched(origin: Origin, told: tuple[int, bool]) -> Origin:
    return msgspec.structs.replace(origin, watched=told[0], frozen=told[1])


_OF_ITSELF = frozenset((ProcessStarted, ProcessStopped, TracingStopped, StepSampled))
