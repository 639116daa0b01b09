"""What is known of each engine: its processes, what they told of themselves, and when last."""

from collections.abc import Collection

import msgspec

from kvtrace.events import (
    BlocksReady,
    PrefillAdmitted,
    ProcessStarted,
    RequestFinished,
    RequestResumed,
)
from kvtrace.model import SCHEDULER, Mark, Role
from kvtrace.moments import Ended, Record, Watched
from kvtrace.origins import MOST_ORIGINS, Origin, Origins, mark_of

MOST_ENGINES = 1_024
"""Engines that are kept; beyond that those give way that are gone, then the longest silent."""

MOST_RUNNING = 4_096
"""Requests of one engine that are remembered while they run."""

MOST_RANKS = 1 << 14
"""An engine that tells of more told nothing: each rank is looked at in every snapshot."""


class Engine(msgspec.Struct, frozen=True, kw_only=True):
    """One engine, as far as its processes told."""

    id: str
    roles: frozenset[Role]
    origins: tuple[Origin, ...]
    """The newest of each rank, the scheduler first."""

    newest: Mark
    """Of the newest that it told."""

    replaced: tuple[Origin, ...] = ()
    """Those that are gone, and whose place another has taken or nobody needs any more."""

    running: int = 0
    """Requests that it computes, or decodes, as far as it told; none that only waits."""

    @property
    def watched(self) -> int | None:
        """When anything of it was last heard from who watches it; None where nobody does."""
        seen = [origin.watched for origin in self.origins if origin.watched is not None]
        return max(*seen, self.newest.seen) if seen else None

    @property
    def state(self) -> str:
        """`alive`, `ended` (said goodbye), `died` (did not), `frozen` or `untraced`."""
        if any(origin.gone and not origin.stopped for origin in self.origins):
            return "died"
        if self.origins and all(origin.stopped for origin in self.origins):
            return "ended"
        if any(origin.frozen and not origin.gone for origin in self.origins):
            return "frozen"
        return "untraced" if any(origin.untraced for origin in self.origins) else "alive"

    @property
    def workers(self) -> int:
        """Worker ranks that we heard of."""
        return sum(origin.rank >= 0 for origin in self.origins)

    @property
    def settings(self) -> ProcessStarted | None:
        """What its first rank told of it, and its scheduler of what no rank knows."""
        told = {o.rank: o.started for o in self.origins if o.started is not None}
        if not told:
            return None
        first = told[min(told, key=lambda rank: (rank < 0, rank))]
        scheduler = told.get(SCHEDULER, first)
        return msgspec.structs.replace(
            first, **{name: getattr(scheduler, name) for name in _OF_THE_SCHEDULER}
        )

    @property
    def longest_step(self) -> int:
        """Nanoseconds of the longest step that any rank told of last; 0 where none did."""
        return max((origin.longest for origin in self.origins), default=0)


class Engines:
    """All engines heard of."""

    def __init__(self, engines: int = MOST_ENGINES, origins: int = MOST_ORIGINS) -> None:
        self._most = engines
        self._forgotten = 0
        self._origins = Origins(origins)
        self._roles: dict[str, frozenset[Role]] = {}
        self._newest: dict[str, tuple[Record, int]] = {}
        self._ranks: dict[str, int] = {}
        self._running: dict[str, dict[tuple[str, str], None]] = {}

    def __contains__(self, engine: str) -> bool:
        return engine in self._newest

    @property
    def forgotten(self) -> int:
        """Engines, schedulers and ranks that were given up for room, though they were not gone."""
        return self._forgotten + self._origins.forgotten

    def hear(self, record: Record, seen: int) -> None:
        """Take in what the record says of its engine; `seen` is when we learned of it."""
        name = record.engine
        newest = self._newest.get(name)
        if newest is None and len(self._newest) >= self._most:
            self._make_room()
        if newest is None or record.at > newest[0].at:
            self._newest[name] = record, seen
        self._origins.hear(record, seen)
        role, kind = record.role, type(record.event)
        if role is not None and role not in self._roles.get(name, ()):
            self._roles[name] = self._roles.get(name, frozenset()) | {role}
        if kind in _TURNS:
            self._run(record)
        if isinstance(record.event, ProcessStarted):
            self._roles[name] = self._roles.get(name, frozenset()) | _roles(record.event)
            told = record.event.tp_size * record.event.pp_size
            self._ranks[name] = told if told <= MOST_RANKS else 0

    def end(self, news: Ended) -> None:
        """Take in that a process is gone."""
        self._origins.end(news)
        self.lose(news.process)

    def lose(self, process: str) -> None:
        """Take in that events of this process were lost, so that what it runs is not known."""
        for running in self._running.values():
            for key in [key for key in running if key[0] == process or not process]:
                del running[key]

    def _run(self, record: Record) -> None:
        """Take note of a request that is computed from now on, or no more."""
        running = self._running.setdefault(record.engine, {})
        key = record.process, record.event.request
        if type(record.event) in _RUN_NO_MORE:
            running.pop(key, None)
        elif len(running) < MOST_RUNNING:
            running[key] = None

    def watch(self, news: Watched, seen: int) -> None:
        """Take in that a process was looked at."""
        self._origins.watch(news, seen)

    @property
    def gone(self) -> Collection[str]:
        """The processes that are no more."""
        return self._origins.gone

    def all_gone(self, processes: frozenset[str]) -> bool:
        """Whether there are such processes, and none of them is any more."""
        return self._origins.all_gone(processes)

    def ranks(self, engine: str) -> int:
        """Its worker ranks as it told; 0 where it did not."""
        return self._ranks.get(engine, 0)

    @property
    def ids(self) -> Collection[str]:
        """Of every engine, in the order in which they were first heard."""
        return self._newest.keys()

    def roles(self, engine: str) -> frozenset[Role]:
        """What the engine is known to be; empty where nothing tells."""
        return self._roles.get(engine, frozenset())

    def clock_of(self, engine: str) -> str:
        """The boot id of the engine's clock; empty where it was not heard."""
        newest = self._newest.get(engine)
        return newest[0].clock if newest is not None else ""

    def get(self, engine: str) -> Engine | None:
        """The engine; None where nothing of it was heard."""
        if engine not in self._newest:
            return None
        ranks: dict[int, Origin] = {}
        every = self._origins.of(engine)
        for origin in every:
            known = ranks.get(origin.rank)
            if known is None or (known.gone, -known.since) >= (origin.gone, -origin.since):
                ranks[origin.rank] = origin
        serving = _serving(ranks, self.ranks(engine))
        return Engine(
            id=engine,
            roles=self._roles.get(engine, frozenset()),
            origins=serving,
            newest=mark_of(*self._newest[engine]),
            replaced=tuple(one for one in every if one.gone and one not in serving),
            running=len(self._running.get(engine, ())),
        )

    def all(self) -> tuple[Engine, ...]:
        """Every engine, in the order in which they were first heard."""
        return tuple(found for name in self._newest if (found := self.get(name)) is not None)

    def _make_room(self) -> None:
        """Forget an eighth of all at once, since to choose them takes time."""
        every = []
        for name, (_, seen) in self._newest.items():
            living, last = self._origins.worth(name)
            every.append((living, max(seen, last), name))
        for living, _, name in sorted(every)[: max(1, len(every) // 8)]:
            self._forgotten += living
            self._origins.forget(name)
            for known in (self._roles, self._newest, self._ranks, self._running):
                known.pop(name, None)


def _serving(ranks: dict[int, Origin], told: int) -> tuple[Origin, ...]:
    """Those that make up the engine: it may have had more ranks before it was restarted."""
    found = tuple(ranks[rank] for rank in sorted(ranks))
    needed = tuple(one for one in found if not (told and one.rank >= told and one.gone))
    return needed if any(not one.gone for one in needed) else found


def _roles(started: ProcessStarted) -> frozenset[Role]:
    named = {"kv_producer": Role.PRODUCER, "kv_consumer": Role.CONSUMER}
    role = named.get(started.kv_role)
    return frozenset() if role is None else frozenset({role})


_RUN_NO_MORE = frozenset((BlocksReady, RequestFinished))
_TURNS = _RUN_NO_MORE | {PrefillAdmitted, RequestResumed}
"""What tells that a request is computed from now on, or no more; asked of every event."""

_OF_THE_SCHEDULER = ("registration_timeout", "host", "port")
