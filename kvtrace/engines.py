"""What is known of each engine: its processes, what they told of themselves, and when last."""

from collections.abc import Iterable

import msgspec

from kvtrace.events import ProcessStarted, ProcessStopped, StepSampled, TracingStopped
from kvtrace.model import SCHEDULER, Mark, Role
from kvtrace.moments import Ended, Record, Watched

MOST_RANKS = 1 << 14
"""An engine that tells of more told nothing: each rank is looked at in every snapshot."""


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

    def __init__(self) -> None:
        self._origins: dict[str, dict[tuple[str, int], Origin]] = {}
        self._roles: dict[str, frozenset[Role]] = {}
        self._newest: dict[str, tuple[Record, int]] = {}
        self._gone: dict[str, bool] = {}
        self._watched: dict[str, tuple[int, bool]] = {}
        self._ranks: dict[str, int] = {}

    def __contains__(self, engine: str) -> bool:
        return engine in self._origins

    def hear(self, record: Record, seen: int) -> None:
        """Take in what the record says of its engine; `seen` is when we learned of it."""
        name = record.engine
        newest = self._newest.get(name)
        if newest is None or record.at > newest[0].at:
            self._newest[name] = record, seen
        origins = self._origins.setdefault(name, {})
        key = (record.process, record.rank)
        if key not in origins:
            origins[key] = self._introduced(record, seen)
        if record.role is not None and record.role not in self._roles.get(name, ()):
            self._roles[name] = self._roles.get(name, frozenset()) | {record.role}
        if type(record.event) in _OF_ITSELF:
            origins[key] = _told(origins[key], record)
            if isinstance(record.event, ProcessStarted):
                self._roles[name] = self._roles.get(name, frozenset()) | _roles(record.event)
                told = record.event.tp_size * record.event.pp_size
                self._ranks[name] = told if told <= MOST_RANKS else 0

    def end(self, news: Ended) -> None:
        """Take in that a process is gone."""
        self._gone[news.process] = news.goodbye
        for origins in self._origins.values():
            for key, origin in origins.items():
                if origin.process == news.process:
                    origins[key] = _gone(origin, news.goodbye)

    def watch(self, news: Watched, seen: int) -> None:
        """Take in that a process was looked at."""
        self._watched[news.process] = told = seen, news.state == "frozen"
        for origins in self._origins.values():
            for key, origin in origins.items():
                if origin.process == news.process:
                    origins[key] = _watched(origin, told)

    def all_gone(self, processes: frozenset[str]) -> bool:
        """Whether there are such processes, and none of them is any more."""
        return bool(processes) and processes <= self._gone.keys()

    def ranks(self, engine: str) -> int:
        """Its worker ranks as it told; 0 where it did not."""
        return self._ranks.get(engine, 0)

    @property
    def ids(self) -> Iterable[str]:
        """Of every engine, in the order in which they were first heard."""
        return self._origins

    def roles(self, engine: str) -> frozenset[Role]:
        """What the engine is known to be; empty where nothing tells."""
        return self._roles.get(engine, frozenset())

    def clock_of(self, engine: str) -> str:
        """The boot id of the engine's clock; empty where it was not heard."""
        newest = self._newest.get(engine)
        return newest[0].clock if newest is not None else ""

    def get(self, engine: str) -> Engine | None:
        """The engine; None where nothing of it was heard."""
        if engine not in self._origins:
            return None
        ranks: dict[int, Origin] = {}
        every = self._origins[engine].values()
        for origin in every:
            known = ranks.get(origin.rank)
            if known is None or (known.gone, -known.since) >= (origin.gone, -origin.since):
                ranks[origin.rank] = origin
        serving = _serving(ranks, self.ranks(engine))
        return Engine(
            id=engine,
            roles=self._roles.get(engine, frozenset()),
            origins=serving,
            newest=_mark(*self._newest[engine]),
            replaced=tuple(one for one in every if one.gone and one not in serving),
        )

    def all(self) -> tuple[Engine, ...]:
        """Every engine, in the order in which they were first heard."""
        return tuple(found for name in self._origins if (found := self.get(name)) is not None)

    def _introduced(self, record: Record, seen: int) -> Origin:
        origin = Origin(
            process=record.process, rank=record.rank, since=seen, began=_mark(record, seen)
        )
        if record.process in self._watched:
            origin = _watched(origin, self._watched[record.process])
        if record.process in self._gone:
            return _gone(origin, self._gone[record.process])
        return origin


def _serving(ranks: dict[int, Origin], told: int) -> tuple[Origin, ...]:
    """Those that make up the engine: it may have had more ranks before it was restarted."""
    found = tuple(ranks[rank] for rank in sorted(ranks))
    needed = tuple(one for one in found if not (told and one.rank >= told and one.gone))
    return needed if any(not one.gone for one in needed) else found


def _mark(record: Record, seen: int) -> Mark:
    return Mark(record.at, record.wall, record.clock, seen)


def _roles(started: ProcessStarted) -> frozenset[Role]:
    named = {"kv_producer": Role.PRODUCER, "kv_consumer": Role.CONSUMER}
    role = named.get(started.kv_role)
    return frozenset() if role is None else frozenset({role})


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


_OF_THE_SCHEDULER = ("registration_timeout", "host", "port")
_OF_ITSELF = frozenset((ProcessStarted, ProcessStopped, TracingStopped, StepSampled))
