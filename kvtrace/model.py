"""The nouns that everything else speaks of: roles, phases, places, marks and outcomes."""

from enum import StrEnum

import msgspec

SCHEDULER = -1
"""The rank of whatever happens in an engine's scheduler, which belongs to no rank."""


class Role(StrEnum):
    """Which part an engine plays in a transfer."""

    PRODUCER = "P"
    CONSUMER = "D"

    @property
    def peer(self) -> "Role":
        """The role at the other end of the link."""
        return Role.CONSUMER if self is Role.PRODUCER else Role.PRODUCER


class Phase(StrEnum):
    """What a transfer waits for."""

    REGISTRATION = "registration"
    """The producer has not heard where to write."""

    READINESS = "readiness"
    """The producer has not computed the blocks."""

    WRITE = "write"
    """Blocks and registration have met; not every rank's write has landed."""

    COMPLETION = "completion"
    """Every write has landed; the consumer has not counted and reported them all."""

    @property
    def letter(self) -> str:
        """One letter for screens; B (blocks) for readiness, since R is taken."""
        return {"registration": "R", "readiness": "B", "write": "W", "completion": "C"}[self.value]


class Outcome(StrEnum):
    """How a transfer ended."""

    FINISHED = "finished"
    FAILED = "failed"
    ABANDONED = "abandoned"
    """Given up by a side: aborted, lease expired, or not heard of for too long."""


class Place(msgspec.Struct, frozen=True):
    """Where something happens: an engine's scheduler, or one of its ranks."""

    engine: str
    role: Role
    rank: int = SCHEDULER

    @property
    def is_scheduler(self) -> bool:
        """Whether this is the scheduler's half of the engine."""
        return self.rank == SCHEDULER


class Link(msgspec.Struct, frozen=True):
    """The directed pair producer → consumer."""

    producer: str
    consumer: str


class Mark(msgspec.Struct, frozen=True):
    """When something happened, by the engine's clocks and by ours."""

    at: int
    """Nanoseconds of the engine's monotonic clock."""

    wall: int
    """Nanoseconds since the epoch by the engine's wall clock; for display only."""

    clock: str
    """The boot id that `at` belongs to; marks of one clock compare exactly."""

    seen: int
    """Nanoseconds of our own monotonic clock when we learned of it."""
