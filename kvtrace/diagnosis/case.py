"""One transfer as a rule sees it."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any, TypeVar

import msgspec

from kvtrace.causes import Cause
from kvtrace.diagnosed import Confidence, Diagnosis, Evidence
from kvtrace.diagnosis.found import Found
from kvtrace.diagnosis.history import Usual
from kvtrace.diagnosis.scene import Scene
from kvtrace.ending import Ending
from kvtrace.events import Event
from kvtrace.missing import consumer_name, producer_name
from kvtrace.model import SCHEDULER, Link, Phase, Place, Role
from kvtrace.phases import Stretch
from kvtrace.snapshot import Done
from kvtrace.split import Shares
from kvtrace.steps import Steps, read
from kvtrace.transfer import Half, Told, Transfer
from kvtrace.wire import kind
from kvtrace.words import duration

E = TypeVar("E", bound=Event)


class Trouble:
    """Why a transfer is looked at: how it stands, or how it ended."""

    def __init__(
        self,
        phase: Phase,
        since: int,
        patience: int = 0,
        waits_for: Place | None = None,
    ) -> None:
        self.phase = phase
        """What it waits for; once over, what it waited for last."""

        self.since = since
        """When that wait began, in nanoseconds of our clock."""

        self.patience = patience
        self.waits_for = waits_for
        self.over: Ending | None = None
        """How it ended; None while it is in flight."""

        self.shares: Shares | None = None
        """Where its wait went; None while it lasts, or where a half is not known."""


def trouble_of(done: Done, over: Ending, last: Stretch) -> Trouble:
    """Of one that is over: what it waited for last."""
    made = Trouble(last.phase, last.began)
    made.over, made.shares = over, done.shares
    return made


def kinds_of(transfer: Transfer) -> dict[type, list[Told]]:
    """All that either half told, by the kind of event."""
    found: dict[type, list[Told]] = {}
    for half in (transfer.consumer, transfer.producer):
        for told in half.told.values() if half is not None else ():
            known = found.get(type(told.event))
            if known is None:
                found[type(told.event)] = [told]
            else:
                known.append(told)
    return found


class Case:
    """A transfer in trouble, and all that a rule may ask."""

    def __init__(self, transfer: Transfer, trouble: Trouble, scene: Scene) -> None:
        self.transfer = transfer
        self.trouble = trouble
        self.scene = scene
        self.now = scene.now
        self.phase = trouble.phase
        self.over = trouble.over
        self.shares = trouble.shares
        self.link = Link(producer_name(transfer), consumer_name(transfer))
        self._found: dict[tuple[type[Event], ...], tuple[Found[Any], ...]] = {}

    @property
    def waited(self) -> int:
        """Nanoseconds in the present phase."""
        return max(0, self.now - self.trouble.since)

    @property
    def half_of(self) -> dict[Role, Half | None]:
        """Both halves."""
        return {Role.PRODUCER: self.transfer.producer, Role.CONSUMER: self.transfer.consumer}

    @cached_property
    def steps(self) -> Steps:
        """When each step first happened, by rank."""
        return read(self.transfer, self.scene.clocks)

    @property
    def lease_now(self) -> str:
        """The lease in force on the producer, to be read after the name of its setting."""
        return self.scene.lease_now(self.engine_id(Role.PRODUCER))

    @property
    def usual(self) -> Usual | None:
        """What is usual on its link; None where too few finished there."""
        return self.scene.usual(self.link)

    @cached_property
    def kinds(self) -> dict[type, list[Told]]:
        """All that either half told, by the kind of event."""
        return kinds_of(self.transfer)

    def all(self, *events: type[E]) -> tuple[Found[E], ...]:
        """Every event of these kinds that either half told, the earliest first."""
        known = self._found.get(events)
        if known is None:
            told = [one for event in events for one in self.kinds.get(event, ())]
            found = [Found.of(one, self.scene.clocks) for one in told]
            if len(found) > 1:
                found.sort(key=lambda one: (one.at, one.told.seq))
            known = self._found[events] = tuple(found)
        return known

    def first(self, *events: type[E]) -> Found[E] | None:
        """The earliest event of these kinds; None where neither half told of one."""
        found = self.all(*events)
        return found[0] if found else None

    def last(self, *events: type[E]) -> Found[E] | None:
        """The latest event of these kinds; None where neither half told of one."""
        found = self.all(*events)
        return found[-1] if found else None

    def has(self, *events: type[Event]) -> bool:
        """Whether any of these happened, as far as either half told."""
        return any(event in self.kinds for event in events)

    def without(self, *events: type[Event]) -> "Case":
        """The same as if none of these had happened."""
        halves = {
            name: msgspec.structs.replace(
                half,
                told={k: one for k, one in half.told.items() if not isinstance(one.event, events)},
            )
            for name in ("producer", "consumer")
            if (half := getattr(self.transfer, name)) is not None
        }
        return Case(msgspec.structs.replace(self.transfer, **halves), self.trouble, self.scene)

    def hears(self, role: Role) -> bool:
        """Whether the engine on that side is heard, so that what it did not tell did not happen.

        Where nobody named it: whether any engine in that role is.
        """
        named = self.engine_id(role)
        return self.scene.engine(named) is not None if named else self.scene.hears(role)

    def engine_id(self, role: Role) -> str:
        """The engine on that side; empty where nobody named it."""
        return self.link.producer if role is Role.PRODUCER else self.link.consumer

    def called(self, role: Role) -> str:
        """What screens call the engine on that side; P or D where nobody named it."""
        return self.scene.called(self.engine_id(role)) or role.value

    def place(self, place: Place | None) -> str:
        """A place in words: `P0 scheduler`, `D1 rank 3`."""
        if place is None:
            return "nobody we know"
        name = self.scene.called(place.engine) or place.role.value
        return f"{name} scheduler" if place.rank == SCHEDULER else f"{name} rank {place.rank}"

    def found(self, told: Told) -> Found[Event]:
        """An event of another transfer, on our clock."""
        return Found.of(told, self.scene.clocks)

    def ago(self, found: Found[Any]) -> str:
        """How long ago it happened, in words."""
        return duration(max(0, self.now - found.at))

    def saw(self, found: Found[Any], text: str) -> Evidence:
        """Evidence by an event that happened."""
        return Evidence(text=text, event=kind(found.event), at=found.at, place=found.place)

    def never(self, event: str, text: str, place: Place | None = None) -> Evidence:
        """Evidence by an event, named as on the wire, that did not happen."""
        return Evidence(text=text, event=event, place=place, missing=True)

    def blame(
        self,
        cause: Cause,
        sentence: str,
        remedy: str,
        evidence: Iterable[Evidence],
        doubt: str = "",
    ) -> Diagnosis:
        """The diagnosis; with less confidence where what is missing may only be unseen."""
        shown = tuple(evidence)
        doubt = doubt or self._unseen(shown)
        return Diagnosis(
            transfer=self.transfer.id,
            cause=cause,
            sentence=sentence,
            remedy=remedy,
            evidence=shown,
            link=self.link,
            since=self.trouble.since,
            confidence=Confidence.LOW if doubt else Confidence.HIGH,
            doubt=doubt,
            engines=tuple(dict.fromkeys(e for e in (self.link.producer, self.link.consumer) if e)),
        )

    def _unseen(self, evidence: tuple[Evidence, ...]) -> str:
        """What could have happened without our knowing; empty where nothing could."""
        if not any(one.missing for one in evidence):
            return ""
        for role in Role:
            if not self.hears(role):
                return f"nothing is heard of {self.called(role)}"
        for role in Role:
            if self.scene.lossy(self.engine_id(role)):
                return f"events of {self.called(role)} were lost"
        return ""
