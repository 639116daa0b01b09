"""What one engine told of one request, in order, as its spans are made from it."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TypeVar

import msgspec

from kvtrace.events import Event, PrefillAdmitted, RequestAdmitted
from kvtrace.lifecycle import mark_key, told
from kvtrace.model import Role
from kvtrace.moments import Record
from kvtrace.signals.ids import Parent, derived, parent_of, span_id
from kvtrace.signals.spans import TRANSFER
from kvtrace.signals.values import Value
from kvtrace.transfer import Half, MarkKey, Told

E = TypeVar("E", bound=Event)

Whose = tuple[str, Role, str]
"""Engine, role and engine-local id: one half."""


class Account(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Everything that is known of one half, the earliest first."""

    engine: str
    role: Role
    request: str
    base: str
    records: tuple[tuple[Record, int], ...]
    """Each with when we saw it; those of its registrations, told under another's id, included."""

    ranks: int = 0
    """The engine's worker ranks; 0 where it did not tell."""

    mode: str = ""

    @cached_property
    def root(self) -> bytes:
        """The span id of its root."""
        return root_of((self.engine, self.role, self.request))

    @cached_property
    def parent(self) -> Parent | None:
        """The trace that the request came with; None where it came without."""
        admitted = self.admitted
        return admitted.parent if admitted is not None else None

    @cached_property
    def trace_id(self) -> bytes:
        """The trace that its spans belong to."""
        return (self.parent or derived(self.base)).trace_id

    @cached_property
    def admitted(self) -> "Admission | None":
        """What its scheduler told first."""
        for record, _ in self.records:
            if isinstance(record.event, RequestAdmitted | PrefillAdmitted):
                return Admission(record, record.event)
        return None

    @cached_property
    def anchor(self) -> Record:
        """The record whose wall clock every span's times are reckoned from."""
        return self.admitted.record if self.admitted is not None else self.records[0][0]

    @cached_property
    def half(self) -> Half:
        """The same as the rest of kvtrace knows it."""
        found: dict[MarkKey, Told] = {}
        for record, seen in self.records:
            found.setdefault(mark_key(record), told(record, self.role, seen))
        return Half(
            engine=self.engine,
            role=self.role,
            request=self.request,
            base=self.base,
            told=found,
            ranks=self.ranks,
        )

    @cached_property
    def _by_kind(self) -> dict[type[Event], list[Record]]:
        found: dict[type[Event], list[Record]] = {}
        for record, _ in self.records:
            found.setdefault(type(record.event), []).append(record)
        return found

    def every(self, *kinds: type[Event]) -> list[Record]:
        """The records of these kinds of event."""
        if len(kinds) == 1:
            return self._by_kind.get(kinds[0], [])
        return [record for record, _ in self.records if type(record.event) in kinds]

    def told(self, kind: type[E]) -> Iterator[tuple[Record, E]]:
        """The records of this kind with their events."""
        for record in self._by_kind.get(kind, ()):
            assert isinstance(record.event, kind)
            yield record, record.event

    def first(self, kind: type[E]) -> E | None:
        """The earliest event of this kind."""
        return next((event for _, event in self.told(kind)), None)

    def wall(self, record: Record, ago: int = 0) -> int:
        """When the record was told, or so long before, in nanoseconds since the epoch."""
        return self.wall_at(record.at - ago, record.clock) or record.wall - ago

    def wall_at(self, at: int, clock: str) -> int:
        """This instant of that clock in nanoseconds since the epoch; 0 where it is not ours."""
        anchor = self.anchor
        return anchor.wall + at - anchor.at if clock == anchor.clock else 0

    def span_id(self, phase: str, rank: int, peer_rank: int, ordinal: int) -> bytes:
        """The id of one of its spans."""
        whose = (self.engine, self.role.value, self.request)
        return span_id(*whose, phase, rank, peer_rank, ordinal)

    @cached_property
    def on_every_span(self) -> dict[str, Value]:
        """The attributes that each of its spans has."""
        return {
            "kvtrace.join": self.base,
            "kvtrace.role": self.role.value,
            "gen_ai.request.id": self.request,
        }


class Admission(msgspec.Struct, frozen=True):
    """The first that a scheduler told of a request."""

    record: Record
    event: RequestAdmitted | PrefillAdmitted

    @property
    def parent(self) -> Parent | None:
        """The trace that the request came with."""
        return parent_of(self.event.trace)


def root_of(whose: Whose) -> bytes:
    """The span id of a half's root, which can be named before the root is sent."""
    engine, role, request = whose
    return span_id(engine, role.value, request, TRANSFER, -1, -1, 0)


def order(record: Record) -> tuple[int, str, int]:
    """What sorts the records of a half."""
    return record.at, record.process, record.seq


def last(records: Iterable[Record]) -> Record:
    """The latest of these."""
    return max(records, key=order)
