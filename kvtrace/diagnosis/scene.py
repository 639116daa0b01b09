"""What a rule can ask about everything but the transfer in hand."""

from collections.abc import Callable
from typing import TypeVar

from kvtrace.clocks import Clocks
from kvtrace.diagnosis.found import Found
from kvtrace.diagnosis.history import History, Usual
from kvtrace.engines import Engine
from kvtrace.events import Event, ProcessStarted
from kvtrace.fleet import Fleet
from kvtrace.model import Link, Role
from kvtrace.transfer import Transfer

E = TypeVar("E", bound=Event)


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

    def hears(self, role: Role) -> bool:
        """Whether any engine in that role is heard."""
        engines = self._fleet.engines
        return any(role in engines.roles(engine) for engine in engines.ids)

    def usual(self, link: Link) -> Usual | None:
        """What is usual on this link; None where too few finished there."""
        return self._history.usual(link)

    def settings(self, engine: str) -> ProcessStarted | None:
        """What is in force in the engine; None where it did not tell."""
        known = self.engine(engine)
        return None if known is None else known.settings

    def notices(self, engine: str, kind: type[E]) -> tuple[Found[E], ...]:
        """The last that the engine told of this kind, with or without a request."""
        found = self._fleet.notices.of(engine, kind)
        return tuple(Found.of(told, self.clocks) for told in found)

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
        halves = (
            (one, one.producer if role is Role.PRODUCER else one.consumer)
            for one in self.in_flight()
        )
        return tuple(one for one, half in halves if half is not None and half.engine == engine)

    def lossy(self, engine: str) -> bool:
        """Whether events of this engine were lost, so that what is missing may have happened."""
        known = self.engine(engine)
        if self._fleet.notices.lost(""):
            return True
        return known is not None and any(
            self._fleet.notices.lost(origin.process) for origin in (*known.origins, *known.replaced)
        )
