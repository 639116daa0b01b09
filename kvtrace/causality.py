"""Clocks for one transfer, by which none of its messages is noticed before it was sent."""

import msgspec

from kvtrace.clocks import Clocks, Offset
from kvtrace.steps import Steps, read
from kvtrace.transfer import Half, Transfer


def agreed(transfer: Transfer, clocks: Clocks) -> Clocks:
    """The clocks, with one side's moved no further than its messages ask for.

    What is known of two clocks is known for all their transfers together, and clocks drift; a
    transfer's own messages say more of its own time. The error is at least what it was moved by.
    """
    mine, theirs = _clock(transfer.consumer), _clock(transfer.producer)
    if not mine or not theirs or mine == theirs:
        return clocks
    steps = read(transfer, clocks)
    later, earlier = max(0, _registered_late(steps)), max(0, _written_late(steps))
    # Both cannot be asked for but by clocks that drifted in between: then half of each.
    shift = (later - earlier) // 2 if later and earlier else later - earlier
    if not shift:
        return clocks
    moved, by = (mine, -shift) if theirs == clocks.ours else (theirs, shift)
    known = clocks.offsets.get(moved)
    if known is None:
        return clocks
    error = None if known.error is None else max(known.error, abs(by))
    offsets = {**clocks.offsets, moved: Offset(known.ns + by, error)}
    return msgspec.structs.replace(clocks, offsets=offsets)


def _registered_late(steps: Steps) -> int:
    """How much later the producer's clock must be, so that registrations come after sending."""
    noticed = steps.ranks("registration.noticed")
    sent: dict[int, int] = {}
    for (_, peer), at in steps.at("registration.sent").items():
        sent[peer] = min(at, sent.get(peer, at))
    return max((sent[rank] - noticed[rank] for rank in sent.keys() & noticed.keys()), default=0)


def _written_late(steps: Steps) -> int:
    """How much earlier the producer's clock must be, so that writes are heard after posting."""
    heard = steps.at("notification.noticed")
    late = [
        posted - at
        for (rank, peer), posted in steps.at("write.posted").items()
        if (at := heard.get((peer, rank), heard.get((peer, -1)))) is not None
    ]
    return max(late, default=0)


def _clock(half: Half | None) -> str:
    return "" if half is None else next(iter(half.told.values())).mark.clock
