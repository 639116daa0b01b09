"""What a rule can ask about everything but the transfer in hand."""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, TypeAlias, TypeVar

from kvtrace.clocks import Clocks
from kvtrace.diagnosis.found import Found
from kvtrace.diagnosis.history import History, Usual
from kvtrace.engines import Engine
from kvtrace.events import Event, ProcessStarted, RequestFinished, StepSampled
from kvtrace.fleet import Fleet
from kvtrace.lifecycle import told
from kvtrace.model import Link, Role
from kvtrace.transfer import Transfer
from kvtrace.words import setting

E = TypeVar("E", bound=Event)
T = TypeVar("T")
_ByEngine: TypeAlias = dict[tuple[str, Role], list[Transfer]]

LATELY = 500
"""Transfers that ended last, among which what is usual of an engine is looked for."""


class Scene:
    """The fleet as of one moment."""

    def __init__(
        self,
        fleet: Fleet,
        called: Callable[[str], str],
        now: int,
        history: History | None = None,
    ) -> None:
        self._fleet = fleet
        self._history = history or History()
        self._engines: dict[str, Engine | None] = {}
        self._waiting: tuple[Transfer, ...] | None = None
        self._on: _ByEngine | None = None
        self._ended_on: _ByEngine | None = None
        self._states: dict[str, str] = {}
        self._worked_out: dict[tuple[str, str], Any] = {}
        self.called = called
        """What screens call an engine, by its id."""

        self.now = now
        """Nanoseconds of our clock."""

        self.clocks: Clocks = fleet.clocks

    def engine(self, engine: str) -> Engine | None:
        """The engine; None where nothing of it was heard, so that its silence means nothing."""
        if engine not in self._engines:
            self._engines[engine] = self._fleet.engines.get(engine) if engine else None
        return self._engines[engine]

    def engines(self) -> tuple[Engine, ...]:
        """Every engine that was heard."""
        found = (self.engine(name) for name in self._fleet.engines.ids)
        return tuple(one for one in found if one is not None)

    def hears(self, role: Role) -> bool:
        """Whether any engine in that role is heard."""
        return bool(self.in_role(role))

    def in_role(self, role: Role) -> tuple[str, ...]:
        """Ids of the engines that are heard in that role."""
        engines = self._fleet.engines
        return tuple(engine for engine in engines.ids if role in engines.roles(engine))

    def usual(self, link: Link) -> Usual | None:
        """What is usual on this link; None where too few finished there."""
        return self._history.usual(link)

    def settings(self, engine: str) -> ProcessStarted | None:
        """What is in force in the engine; None where it did not tell."""
        known = self.engine(engine)
        return None if known is None else known.settings

    def lease_now(self, engine: str) -> str:
        """The lease in force in the engine, as it follows a setting's name; empty if not known."""
        known = self.settings(engine)
        return "" if known is None or not known.lease else f" (now {setting(known.lease)})"

    def ttl_now(self, engine: str) -> str:
        """The same of how long the engine keeps an idle peer, which it tells as a fact."""
        known = self.settings(engine)
        told = "" if known is None else known.facts.get("engine_ttl", "")
        return f" (now {told.removesuffix('.0')} s)" if told else ""

    def notices(self, engine: str, kind: type[E]) -> tuple[Found[E], ...]:
        """The last that the engine told of this kind, with or without a request."""
        found = self._fleet.notices.of(engine, kind)
        return tuple(Found.of(one, self.clocks) for one in found)

    def samples(self, engine: str, rank: int) -> tuple[Found[StepSampled], ...]:
        """The last that the rank told of its steps; looked up once for all transfers."""
        every = self.once("samples", engine, lambda: self.notices(engine, StepSampled))
        return self.once(
            f"samples of {rank}", engine, lambda: tuple(o for o in every if o.place.rank == rank)
        )

    def alike(self, base: str) -> tuple[Transfer, ...]:
        """All that we know of, in flight and ended, under this base id."""
        table = self._fleet.table
        return tuple(table[name] for name in table.newest_alike(base))

    def in_flight(self) -> tuple[Transfer, ...]:
        """Every transfer in flight."""
        if self._waiting is None:
            self._waiting = tuple(self._fleet.table.live.values())
        return self._waiting

    def on(self, engine: str, role: Role) -> tuple[Transfer, ...]:
        """Those in flight of which this engine told in this role."""
        if self._on is None:
            self._on = _by_engine(self.in_flight())
        return tuple(self._on.get((engine, role), ()))

    def lately_ended(self) -> Iterable[Transfer]:
        """The last transfers that ended, the newest first."""
        return islice(reversed(self._fleet.table.ended.values()), LATELY)

    def ended_on(self, engine: str, role: Role) -> tuple[Transfer, ...]:
        """Of the last transfers that ended those of which it told, the newest first."""
        if self._ended_on is None:
            self._ended_on = _by_engine(self.lately_ended())
        return tuple(self._ended_on.get((engine, role), ()))

    def known_on(self, engine: str, role: Role) -> tuple[Transfer, ...]:
        """Both: those in flight, and of the last that ended."""
        return (*self.on(engine, role), *self.ended_on(engine, role))

    def once(self, what: str, engine: str, work_out: Callable[[], T]) -> T:
        """What is worked out about an engine for one transfer, and kept for the others."""
        key = what, engine
        if key not in self._worked_out:
            self._worked_out[key] = work_out()
        found: T = self._worked_out[key]
        return found

    def state(self, engine: str) -> str:
        """`alive`, `ended`, `died`, `frozen` or `untraced`; empty where nothing of it is heard."""
        if engine not in self._states:
            known = self.engine(engine)
            self._states[engine] = "" if known is None else known.state
        return self._states[engine]

    @property
    def router_speaks(self) -> bool:
        """Whether any router ever said anything."""
        return bool(self._fleet.legs)

    def legs(self, requests: Iterable[str], kind: type[E]) -> tuple[Found[E], ...]:
        """What a router said of a request that goes by any of these ids, the earliest first."""
        told = (one for one in self._fleet.legs.of(requests) if isinstance(one.event, kind))
        found = (Found.of(one, self.clocks) for one in told)
        return tuple(sorted(found, key=lambda one: one.at))

    def last_words(self, base: str, kind: type[E]) -> tuple[Found[E], ...]:
        """Of halves under this base id of which nothing else was heard."""
        return tuple(
            Found.of(told(record, role, seen), self.clocks)
            for record, seen in self._fleet.strays.of(base)
            if isinstance(record.event, kind)
            and (role := record.role or record.event.role) is not None
        )

    @property
    def stand_ins(self) -> dict[str, Found[RequestFinished]]:
        """Ends of requests in the place of others, by what the producer calls those others."""
        ended = self._fleet.stand_ins.ended
        return {name: Found.of(told, self.clocks) for name, told in ended.items()}

    def lossy(self, engine: str) -> bool:
        """Whether events of this engine were lost, so that what is missing may have happened."""
        known = self.engine(engine)
        if self._fleet.notices.lost(""):
            return True
        return known is not None and any(
            self._fleet.notices.lost(origin.process) for origin in (*known.origins, *known.replaced)
        )


def _by_engine(transfers: Iterable[Transfer]) -> _ByEngine:
    found: _ByEngine = {}
    for one in transfers:
        for half in (one.producer, one.consumer):
            if half is not None:
                found.setdefault((half.engine, half.role), []).append(one)
    return found
