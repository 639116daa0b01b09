"""Whether a transfer is over, and how it ended."""

import msgspec

from kvtrace.events import (
    AnyEvent,
    BlocksReady,
    BlocksReleased,
    LeaseExpired,
    ReceiveFailed,
    ReceiveFinished,
    RegistrationSkipped,
    RequestFinished,
    RequestResumed,
    SendReported,
)
from kvtrace.model import Mark, Outcome
from kvtrace.steps import firsts
from kvtrace.transfer import Half, Told, Transfer


class Ending(msgspec.Struct, frozen=True):
    """How a transfer ended, and when."""

    outcome: Outcome
    mark: Mark


def ending(transfer: Transfer) -> Ending | None:
    """How the transfer ended; None while it is in flight.

    The consumer's word counts, since it is the one that waits; the producer's alone does
    only where the consumer is not seen.
    """
    if transfer.consumer is not None:
        return _consumer_ending(transfer.consumer)
    if transfer.producer is not None:
        return _producer_ending(transfer.producer)
    return None


def seen_from_start(transfer: Transfer) -> bool:
    """Whether its beginning was seen, so that its durations say something."""
    half = transfer.consumer or transfer.producer
    return half is not None and any(told.event.opens for told in half.told.values())


def may_end(event: AnyEvent) -> bool:
    """Whether a transfer can be over because of this event."""
    return type(event) in LAST_WORDS


def _consumer_ending(half: Half) -> Ending | None:
    told = firsts(half, _CONSUMER_LAST)
    finished = told.get("request.finished")
    received, failed = told.get("receive.finished"), told.get("receive.failed")
    if _is_parked(finished):
        # Its blocks stay held until the write that nobody waits for has landed.
        outcome = Outcome.FAILED if _in_error(finished) else Outcome.ABANDONED
        return _end(outcome, received or failed)
    if failed is not None:
        return _end(Outcome.FAILED, failed)
    resumed = told.get("request.resumed")
    if resumed is not None and isinstance(resumed.event, RequestResumed):
        outcome = Outcome.FAILED if resumed.event.failed else Outcome.FINISHED
        return _end(outcome, resumed)
    if "registration.skipped" in told:
        return _end(Outcome.FINISHED, told["registration.skipped"])
    if finished is not None and received is not None:
        return _end(Outcome.FINISHED, received)
    return _end(Outcome.ABANDONED, finished)


def _producer_ending(half: Half) -> Ending | None:
    told = firsts(half, _PRODUCER_LAST)
    expired = told.get("lease.expired")
    if expired is not None:
        return _end(Outcome.FAILED if "write.failed" in told else Outcome.ABANDONED, expired)
    ready = told.get("blocks.ready")
    if ready is not None and isinstance(ready.event, BlocksReady) and not ready.event.held:
        failed = "error" in ready.event.status.lower()
        return _end(Outcome.FAILED if failed else Outcome.ABANDONED, ready)
    return _end(Outcome.FINISHED, _all_reported(half) or told.get("blocks.released"))


def _all_reported(half: Half) -> Told | None:
    """The last rank's report, once every rank that took the blocks has made one."""
    reports = [told for key, told in half.told.items() if key[0] == "send.reported"]
    took = {key[2] for key in half.told if key[0] == "blocks.queued"}
    if not reports or took - {told.place.rank for told in reports}:
        return None
    return max(reports, key=lambda told: (told.mark.at, told.seq))


def _is_parked(finished: Told | None) -> bool:
    event = finished.event if finished is not None else None
    return isinstance(event, RequestFinished) and event.parked


def _in_error(finished: Told | None) -> bool:
    """Whether vLLM ended the request because its KV did not come, rather than its client."""
    event = finished.event if finished is not None else None
    return isinstance(event, RequestFinished) and "error" in event.status.lower()


def _end(outcome: Outcome, told: Told | None) -> Ending | None:
    return None if told is None else Ending(outcome, told.mark)


_CONSUMER_LAST = frozenset(
    (
        "request.finished",
        "receive.finished",
        "receive.failed",
        "request.resumed",
        "registration.skipped",
    )
)
_PRODUCER_LAST = frozenset(("lease.expired", "write.failed", "blocks.ready", "blocks.released"))
LAST_WORDS = frozenset(
    (
        RequestResumed,
        RequestFinished,
        ReceiveFinished,
        ReceiveFailed,
        RegistrationSkipped,
        BlocksReady,
        BlocksReleased,
        SendReported,
        LeaseExpired,
    )
)
"""Because of which a transfer can be over."""
