"""The parts that a finished transfer's wait is split into."""

from enum import StrEnum

import msgspec


class Part(StrEnum):
    """What a stretch of the wait was spent on."""

    ADMISSION = "D admission"
    """Until the consumer allocated blocks and staged the registration."""

    CONSUMER_STEPS = "D steps"
    """Until every rank of the consumer had the registration and sent it."""

    HANDSHAKE = "handshake"
    """Either side reached the other for the first time."""

    PRODUCER_QUEUE = "P queue"
    """Until the producer began to prefill."""

    PREFILL = "P compute"
    """Until the producer's blocks were computed."""

    PRODUCER_STEPS = "P steps"
    """Until every rank of the producer had the blocks."""

    TRANSIT = "registration transit"
    """Until they noticed the registration as well: it was on the way, or nobody looked."""

    WRITER = "writer queue"
    """Until the producer's writer had matched and set out."""

    POST = "post"
    """Preparing and posting the write."""

    WIRE = "wire"
    """From the post to the landing, by NIXL's own account."""

    NOTIFICATION = "notification"
    """Until the consumer noticed that it had landed."""

    COUNTING = "D counting"
    """Until the consumer's scheduler heard it of every rank."""

    SCHEDULING = "scheduling"
    """Until the request was scheduled again."""


class Shares(msgspec.Struct, frozen=True, gc=False):
    """The parts of one transfer's wait."""

    parts: tuple[tuple[Part, int], ...]
    """Nanoseconds of each that is not 0, in their order; they add up to the whole."""

    error: int | None
    """Nanoseconds: how far a boundary between the hosts' parts can be off; None: not bounded."""

    whole: int
    """Nanoseconds from the request's admission to when it went on."""

    handoff: int
    """All but the producer's queue and its compute: what the transfer itself took."""

    def of(self, *parts: Part) -> int:
        """Nanoseconds of these together."""
        return sum([took for part, took in self.parts if part in parts])


def split(parts: tuple[tuple[Part, int], ...], error: int | None) -> Shares:
    """The shares with these parts."""
    whole = sum([took for _, took in parts])
    before = sum([took for part, took in parts if part in _BEFORE])
    return Shares(parts, error, whole, whole - before)


_BEFORE = (Part.PRODUCER_QUEUE, Part.PREFILL)
