"""Which steps of a transfer have not come yet, and who has to make them."""

from collections.abc import Iterator

import msgspec

from kvtrace.clocks import Clocks
from kvtrace.cuts import registering
from kvtrace.ending import ending
from kvtrace.model import SCHEDULER, Place, Role
from kvtrace.steps import Steps, read
from kvtrace.transfer import Half, Transfer


class Missing(msgspec.Struct, frozen=True):
    """A step that is still to come."""

    place: Place | None
    """Who has to make it; None where we cannot know."""

    name: str
    """The event that would tell of it."""


def waits_for(transfer: Transfer, clocks: Clocks) -> Place | None:
    """Who must act next; None where we cannot know, and when the transfer is over."""
    return None if ending(transfer) is not None else next_place(transfer, read(transfer, clocks))


def next_place(transfer: Transfer, steps: Steps) -> Place | None:
    """Who must act next on a transfer in flight, for whoever has read its steps already."""
    found = next(_Expected(transfer, steps).steps(), None)
    return found.place if found is not None else None


def missing(transfer: Transfer, clocks: Clocks) -> tuple[Missing, ...]:
    """The steps still to come, in order: the first holds up all that follow.

    Empty once the transfer is over.
    """
    if ending(transfer) is not None:
        return ()
    return tuple(_Expected(transfer, read(transfer, clocks)).steps())


class _Expected:
    """The steps of one transfer that have not come, in the order they are due."""

    def __init__(self, transfer: Transfer, steps: Steps) -> None:
        self._steps = steps
        self._transfer = transfer
        self._producer = producer_name(transfer)
        self._consumer = consumer_name(transfer)
        self._met = steps.matched
        self._wrote = bool(self._met) or bool(steps.at("write.finished"))

    def steps(self) -> Iterator[Missing]:
        yield from self._registration()
        yield from self._readiness()
        yield from self._match()
        yield from self._writes()
        yield from self._completion()

    def _registration(self) -> Iterator[Missing]:
        if self._transfer.consumer is None:
            if self._producer_only_waits_for_consumer():
                yield Missing(None, "registration.noticed")
            return
        if self._arrived():
            return
        if not self._has(*_STAGED):
            yield Missing(self._place(Role.CONSUMER), "registration.staged")
        sent = self._steps.ranks("registration.sent")
        queued = self._steps.ranks("registration.queued")
        for rank in sorted(registering(self._transfer, self._steps) - set(sent)):
            place = self._place(Role.CONSUMER, rank if rank in queued else SCHEDULER)
            name = "registration.sent" if rank in queued else "registration.queued"
            yield Missing(place, name)
        if not registering(self._transfer, self._steps):
            yield Missing(self._place(Role.CONSUMER), "registration.queued")

    def _producer_only_waits_for_consumer(self) -> bool:
        return self._has("blocks.ready", "blocks.queued") and not self._has(
            "registration.noticed", "match.made", "write.started", "write.posted"
        )

    def _arrived(self) -> bool:
        """Whether every rank addressed has what it needs, so that what was sent is enough."""
        wanted = self._steps.addressed
        return (bool(wanted) and not wanted - set(self._met)) or bool(self._steps.landed)

    def _readiness(self) -> Iterator[Missing]:
        if self._wrote or self._steps.landed or self._has("blocks.queued"):
            return
        if self._has("blocks.ready"):
            yield Missing(self._place(Role.PRODUCER), "blocks.queued")
        else:
            yield Missing(self._place(Role.PRODUCER), "blocks.ready")

    def _match(self) -> Iterator[Missing]:
        noticed = self._steps.ranks("registration.noticed")
        done = {rank for rank, _ in self._steps.landed}
        for rank in sorted(self._steps.addressed - set(self._met) - done):
            name = "match.made" if rank in noticed else "registration.noticed"
            if self._transfer.producer is not None:
                yield Missing(self._place(Role.PRODUCER, rank), name)

    def _writes(self) -> Iterator[Missing]:
        posted = self._steps.at("write.posted")
        wanted = self._steps.pairs
        for rank, peer in sorted(wanted - set(self._steps.landed)):
            name = "write.finished" if (rank, peer) in posted else "write.posted"
            yield Missing(self._place(Role.PRODUCER, rank), name)
        for rank in sorted(set(self._met) - {pair[0] for pair in wanted}):
            yield Missing(self._place(Role.PRODUCER, rank), "write.posted")

    def _completion(self) -> Iterator[Missing]:
        if self._transfer.consumer is None:
            reported = self._steps.ranks("send.reported")
            for rank in sorted(set(self._met) - set(reported)):
                yield Missing(self._place(Role.PRODUCER, rank), "send.reported")
            yield Missing(self._place(Role.PRODUCER), "blocks.released")
            return
        reported = self._steps.ranks("receive.reported")
        counted = self._steps.ranks("completion.counted")
        ranks = registering(self._transfer, self._steps)
        if not self._has("receive.finished"):
            for rank in sorted(ranks - set(reported)):
                name = "receive.reported" if rank in counted else "completion.counted"
                yield Missing(self._place(Role.CONSUMER, rank), name)
            yield Missing(self._place(Role.CONSUMER), "receive.finished")
        yield Missing(self._place(Role.CONSUMER), "request.resumed")

    def _has(self, *names: str) -> bool:
        return any(name in self._steps.firsts for name in names)

    def _place(self, role: Role, rank: int = SCHEDULER) -> Place | None:
        name = self._producer if role is Role.PRODUCER else self._consumer
        return Place(name, role, rank) if name else None


def producer_name(transfer: Transfer) -> str:
    """The producer's engine id, from either half; empty where neither says."""
    mine = transfer.producer
    return mine.engine if mine is not None else _named_by(transfer.consumer, "producer")


def consumer_name(transfer: Transfer) -> str:
    """The consumer's engine id, from either half; empty where neither says."""
    mine = transfer.consumer
    return mine.engine if mine is not None else _named_by(transfer.producer, "consumer")


def _named_by(half: Half | None, field: str) -> str:
    """The first engine that the half's events name in this field."""
    told = half.told.values() if half is not None else ()
    names = (getattr(one.event, field, "") for one in told)
    return next((str(name) for name in names if name), "")


_STAGED = (
    "registration.staged",
    "registration.shipped",
    "registration.queued",
    "registration.sent",
)
