"""The instants at which a transfer passes from one thing it waits for to the next."""

import msgspec

from kvtrace.clocks import Clocks
from kvtrace.ending import Ending, ending
from kvtrace.steps import Steps, read
from kvtrace.transfer import Transfer


class Cuts(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Instants on our clock, in nanoseconds; None for what has not come, or was not seen."""

    start: int
    registered: int | None
    """Every rank of the consumer has sent its registration."""

    ready: int | None
    """The producer's blocks are computed."""

    noticed: int | None
    """Every rank of the producer that is addressed has noticed its registration."""

    met: int | None
    """Blocks and registration have met on every such rank."""

    written: int | None
    """Every write has landed."""

    end: int | None


def cuts(transfer: Transfer, clocks: Clocks) -> Cuts:
    """Where the transfer's phases begin and end, as far as its marks tell."""
    return cuts_of(transfer, read(transfer, clocks), clocks, ending(transfer))


def cuts_of(transfer: Transfer, steps: Steps, clocks: Clocks, over: Ending | None) -> Cuts:
    """The same, for whoever has read the transfer's steps already, and knows its ending."""
    written = _written(transfer, steps)
    met = _met(transfer, steps, written)
    ready = steps.first("blocks.ready", "blocks.queued")
    return Cuts(
        start=_start(steps),
        registered=_registered(transfer, steps, met),
        ready=met if ready is None else ready,
        noticed=_last(steps.addressed, steps.ranks("registration.noticed")),
        met=met,
        written=written,
        end=None if over is None else clocks.instant(over.mark),
    )


def registering(transfer: Transfer, steps: Steps) -> set[int]:
    """The consumer's ranks that have a registration to send, as far as we know."""
    heard = set(steps.ranks("registration.queued")) | set(steps.ranks("registration.sent"))
    told = transfer.consumer.ranks if transfer.consumer is not None else 0
    return heard if len(heard) >= told else set(range(told)) | heard


def _start(steps: Steps) -> int:
    for names in (("request.admitted",), tuple(steps.firsts)):
        first = steps.first(*names)
        if first is not None:
            return first
    return 0


def _registered(transfer: Transfer, steps: Steps, met: int | None) -> int | None:
    if not _consumer_told(steps):
        return _start(steps)
    sent = steps.ranks("registration.sent")
    if met is not None and not sent:
        return met
    last = max(steps.at("registration.sent").values(), default=None)
    if last is None or registering(transfer, steps) - set(sent):
        return met
    return last if met is None else min(last, met)


def _consumer_told(steps: Steps) -> bool:
    return any(name in steps.firsts for name in _CONSUMER_STEPS)


def _met(transfer: Transfer, steps: Steps, written: int | None) -> int | None:
    met = _last(steps.addressed, steps.matched)
    if met is None and written is not None:
        return min(steps.landed.values(), default=written)
    if met is None and transfer.producer is None:
        return steps.first("notification.noticed")
    return met


def _written(transfer: Transfer, steps: Steps) -> int | None:
    received = steps.first("receive.finished")
    done = steps.landed
    wanted = steps.pairs
    if not wanted:
        return steps.first("completion.counted", "receive.reported", "receive.finished")
    silent = steps.addressed - {rank for rank, _ in wanted}
    if silent or wanted - set(done):
        return received
    return max(done[pair] for pair in wanted)


def _last(wanted: set[int], found: dict[int, int]) -> int | None:
    """When the last of the ranks wanted did it; None while one has not."""
    if not wanted or wanted - set(found):
        return None
    return max(found[rank] for rank in wanted)


_CONSUMER_STEPS = (
    "request.admitted",
    "load.decided",
    "registration.staged",
    "registration.shipped",
    "registration.queued",
    "registration.sent",
)
