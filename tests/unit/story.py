"""The test language: what happened when, what it waits for, who has to act."""

from collections.abc import Iterable
from typing import Literal, Self

import msgspec

from kvtrace.causes import Cause
from kvtrace.diagnosed import Confidence, Diagnosis
from kvtrace.events import AnyEvent
from kvtrace.model import SCHEDULER, Outcome, Phase, Place, Role
from kvtrace.moments import Ended, Moment, News, Record, Watched
from kvtrace.monitor import watch
from kvtrace.phases import Stretch, stretches
from kvtrace.snapshot import Done, Row, Snapshot
from tests.unit.samples import CONSUMER, PRODUCER

SECOND = 1_000_000_000
CLOCK = "host-1"


class Engine(msgspec.Struct, frozen=True, kw_only=True):
    """Who speaks in a story, and by which clock."""

    name: str
    role: Role
    clock: str = CLOCK
    ahead: float = 0.0
    """Seconds that its clock shows more than ours."""
    restarts: int = 0
    """How often it was started before under the same id."""


P = Engine(name=PRODUCER, role=Role.PRODUCER)
D = Engine(name=CONSUMER, role=Role.CONSUMER)
ROUTER = Engine(name="router", role=Role.CONSUMER)


class Story:
    """What happened, in seconds of our clock, and what is said of it then."""

    def __init__(self) -> None:
        self._moments: list[Moment] = []
        self._now = 0.0
        self._seqs: dict[str, int] = {}

    def at(
        self, seconds: float, *events: AnyEvent, rank: int = 0, by: Engine | None = None
    ) -> Self:
        """At that time these happened, each in its own scheduler or in that rank."""
        self._now = seconds
        for event in events:
            self._moments.append(Moment(self._ns(), self._record(event, rank, by)))
        if not events:
            self._moments.append(Moment(self._ns()))
        return self

    def hears(self, news: News) -> Self:
        """Something else than an event arrived."""
        self._moments.append(Moment(self._ns(), news))
        return self

    def dies(self, engine: Engine, rank: int = SCHEDULER, goodbye: bool = False) -> Self:
        """A process is gone."""
        return self.hears(Ended(process=_process(engine, rank), goodbye=goodbye))

    def watched(self, engine: Engine, rank: int = SCHEDULER, frozen: bool = False) -> Self:
        """Who watches the process tells that it is there."""
        state: Literal["running", "frozen"] = "frozen" if frozen else "running"
        return self.hears(Watched(process=_process(engine, rank), state=state))

    def waits_for(
        self, phase: Phase, role: Role | None = None, rank: int = SCHEDULER, *, seconds: float = -1
    ) -> Self:
        """The only transfer in flight waits for this, for that place to act, for so long."""
        row = self.row
        assert row.phase is phase, f"waits for {row.phase}"
        if role is not None:
            name = PRODUCER if role is Role.PRODUCER else CONSUMER
            assert row.waits_for == Place(name, role, rank), row.waits_for
        if seconds >= 0:
            assert row.waited == round(seconds * SECOND), row.waited / SECOND
        return self

    def is_stalled(self) -> Self:
        """The only transfer in flight has outlived its patience."""
        assert self.row.stalled
        return self

    def is_not_stalled(self) -> Self:
        """The only transfer in flight has not outlived its patience."""
        assert not self.row.stalled
        return self

    def is_blamed_on(self, cause: Cause | None = None, says: str = "") -> Self:
        """The only transfer in flight, or the last that ended, is diagnosed so; without a cause
        there is no diagnosis. `says` is a part of the sentence."""
        found = self.diagnosis
        assert (found and found.cause) == cause, found
        assert not says or (found is not None and says in found.sentence), found
        return self

    def is_not_blamed_on(self, cause: Cause) -> Self:
        """There is another diagnosis, or none."""
        assert self.diagnosis is None or self.diagnosis.cause is not cause, self.diagnosis
        return self

    def is_unsure(self, because: str = "") -> Self:
        """The diagnosis says that it is not sure, and why."""
        found = self.diagnosis
        assert found is not None
        assert found.confidence is not Confidence.HIGH, found
        assert because in found.doubt, found.doubt
        return self

    def is_sure(self) -> Self:
        """Nothing that could speak against the diagnosis is unseen."""
        found = self.diagnosis
        assert found is not None
        assert found.confidence is Confidence.HIGH, found
        return self

    def has_ended(self, outcome: Outcome) -> Self:
        """No transfer is in flight, and the last one ended so."""
        assert not self.snapshot.rows, self.snapshot.rows
        assert self.done.outcome is outcome, self.done.outcome
        return self

    def took(self, **seconds: float) -> Self:
        """The last transfer that ended spent so long in each phase, and none in the others."""
        spent = {phase.value: ns / SECOND for phase, ns in self.done.phases if ns}
        assert spent == seconds, spent
        return self

    @property
    def moments(self) -> list[Moment]:
        """The story so far, for whoever wants to tell it otherwise."""
        return list(self._moments)

    @property
    def snapshot(self) -> Snapshot:
        """What is known now."""
        return retold(self._moments, self._ns())

    @property
    def diagnosis(self) -> Diagnosis | None:
        """Of the only transfer in flight, or where none is of the last that ended."""
        snapshot = self.snapshot
        if snapshot.rows:
            return snapshot.diagnoses.get(self.row.transfer.id)
        return self.done.diagnosis

    def diagnoses(self) -> dict[str, Cause]:
        """The cause of every transfer that has one, by what screens call the transfer."""
        snapshot = self.snapshot
        live = {row.id: snapshot.diagnoses.get(row.transfer.id) for row in snapshot.rows}
        found = {**{one.id: one.diagnosis for one in snapshot.done}, **live}
        return {name: one.cause for name, one in found.items() if one is not None}

    @property
    def engine_causes(self) -> set[Cause]:
        """What is said of engines as a whole."""
        return {one.cause for one in self.snapshot.engine_diagnoses}

    @property
    def row(self) -> Row:
        """The only transfer in flight."""
        rows = self.snapshot.rows
        assert len(rows) == 1, [row.transfer.id for row in rows]
        return rows[0]

    @property
    def done(self) -> Done:
        """The last transfer that ended."""
        return self.snapshot.done[0]

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        """The phases of the only transfer in flight."""
        snapshot = self.snapshot
        return stretches(self.row.transfer, snapshot.clocks, snapshot.at)

    def _ns(self) -> int:
        return round(self._now * SECOND)

    def _record(self, event: AnyEvent, rank: int, by: Engine | None) -> Record:
        engine = by or (P if event.role is Role.PRODUCER else D)
        where = SCHEDULER if event.scheduler else rank
        process = _process(engine, where)
        self._seqs[process] = self._seqs.get(process, 0) + 1
        return Record(
            process=process,
            seq=self._seqs[process],
            at=self._ns() + round(engine.ahead * SECOND),
            wall=self._ns(),
            clock=engine.clock,
            engine=engine.name,
            role=event.role or engine.role,
            rank=where,
            event=event,
        )


def retold(moments: Iterable[Moment], now: int) -> Snapshot:
    """What is known at `now` of these moments."""
    last = None
    for snapshot in watch([*moments, Moment(now)], clock=CLOCK):
        last = snapshot
    assert last is not None
    return last


def _process(engine: Engine, rank: int) -> str:
    again = f" again {engine.restarts}" if engine.restarts else ""
    return f"{engine.name}/{rank}{again}"
