"""How one transfer stands: what it waits for, since when, and how far it has come."""

import msgspec

from kvtrace.clocks import Clocks
from kvtrace.cuts import cuts_of, registering
from kvtrace.ending import ending
from kvtrace.events import BlocksReady, RegistrationStaged, WriteFinished
from kvtrace.identity import base_id
from kvtrace.missing import consumer_name, next_place, producer_name
from kvtrace.model import Link, Phase, Place, Role
from kvtrace.phases import Stretch, cut_up
from kvtrace.steps import Steps, read
from kvtrace.transfer import Half, Transfer


class Standing(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """All that a row needs of a transfer, and that changes only when the transfer does."""

    id: str
    """What screens call it."""

    start: int
    """Nanoseconds of our clock."""

    phases: tuple[Stretch, ...]
    """The last is the present one."""

    waits_for: Place | None
    awaited: frozenset[str]
    """The processes that spoke for the transfer from there."""

    link: Link
    ranks: tuple[int, int]
    size: int
    held: tuple[int, int]
    """KV blocks that the producer, and the consumer, hold for it."""

    @property
    def phase(self) -> Phase:
        """What it waits for."""
        return self.phases[-1].phase

    @property
    def since(self) -> int:
        """When the present phase began, in nanoseconds of our clock."""
        return self.phases[-1].began


def standing(transfer: Transfer, clocks: Clocks, now: int) -> Standing:
    """How a transfer in flight stands at `now`."""
    steps = read(transfer, clocks)
    found = cuts_of(transfer, steps, clocks, ending(transfer))
    phases = cut_up(found, now)
    place = next_place(transfer, steps)
    return Standing(
        id=called(transfer),
        start=found.start,
        phases=phases,
        waits_for=place,
        awaited=_awaited(transfer, place),
        link=Link(producer_name(transfer), consumer_name(transfer)),
        ranks=_ranks(transfer, steps, phases[-1].phase),
        size=size(transfer.producer),
        held=(_held(transfer.producer), _held(transfer.consumer)),
    )


def called(transfer: Transfer) -> str:
    """What screens call it: its base id, or the local one where others share that."""
    half = transfer.consumer or transfer.producer
    if half is None:
        return transfer.id
    return half.request if transfer.rivals or transfer.id != half.base else base_id(half.request)


def size(producer: Half | None) -> int:
    """Bytes that were written, as far as the producer told."""
    told = producer.told.values() if producer is not None else ()
    return sum(one.event.size for one in told if isinstance(one.event, WriteFinished))


def _ranks(transfer: Transfer, steps: Steps, phase: Phase) -> tuple[int, int]:
    """How many of how many ranks have written, or in completion counted."""
    if phase is Phase.COMPLETION:
        wanted = registering(transfer, steps)
        reported = {**steps.ranks("completion.counted"), **steps.ranks("receive.reported")}
        return len(wanted & set(reported)), len(wanted)
    open_pairs = steps.pairs - set(steps.landed)
    wanted = steps.addressed
    idle = {rank for rank, _ in open_pairs} | (wanted - {rank for rank, _ in steps.pairs})
    return len(wanted - idle), len(wanted)


def _awaited(transfer: Transfer, place: Place | None) -> frozenset[str]:
    """Where none spoke from the very place, those that spoke for that half at all."""
    if place is None:
        return frozenset()
    half = transfer.producer if place.role is Role.PRODUCER else transfer.consumer
    told = half.told.values() if half is not None else ()
    there = frozenset(one.process for one in told if one.place.rank == place.rank)
    return there or frozenset(one.process for one in told)


def _held(half: Half | None) -> int:
    told = half.told.values() if half is not None else ()
    blocks = (one.event.blocks for one in told if isinstance(one.event, _HOLD))
    return max(blocks, default=0)


_HOLD = (BlocksReady, RegistrationStaged)
