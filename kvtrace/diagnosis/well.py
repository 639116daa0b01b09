"""Whether a finished transfer is plainly well, so that no rule need look at it."""

from collections.abc import Mapping
from typing import Any

from kvtrace.clocks import Clocks
from kvtrace.diagnosis.case import kinds_of
from kvtrace.diagnosis.patience import COSTLY
from kvtrace.diagnosis.prefill import DECODED
from kvtrace.events import (
    BlocksQueued,
    BlocksReady,
    BlocksReleased,
    BlocksShipped,
    CompletionCounted,
    LeaseGranted,
    LoadDecided,
    MatchMade,
    MatchMissed,
    NotificationNoticed,
    PrefillAdmitted,
    ReceiveFinished,
    ReceiveReported,
    RegistrationNoticed,
    RegistrationQueued,
    RegistrationSent,
    RegistrationShipped,
    RegistrationStaged,
    RequestAdmitted,
    RequestFinished,
    RequestResumed,
    SendReported,
    WriteFinished,
    WritePosted,
    WriteStarted,
)
from kvtrace.transfer import Told, Transfer


def is_well(transfer: Transfer, clocks: Clocks, handoff: int | None = None) -> bool:
    """Whether no rule for finished transfers can hold, now or later; False where that is not plain.

    It was quick, each scheduler told of the prompt once, both alike, and nothing was told that
    does not belong to a transfer without trouble. `handoff` is what the transfer itself took;
    without it the whole wait counts.
    """
    producer = transfer.producer
    if producer is None or producer.ranks > 1:
        return False
    # Each kind holds events of that kind alone.
    kinds: Mapping[type, list[Any]] = kinds_of(transfer)
    if not kinds.keys() <= _USUAL or any(len(kinds.get(one, ())) != 1 for one in _ONCE):
        return False
    asked, decided, begun, ready, resumed = (kinds[one][0] for one in _ONCE)
    took = _between(asked, resumed, clocks) if handoff is None else handoff
    return (
        _is_one_prompt(asked.event, decided.event, begun.event, ready.event)
        and all(one.event.candidates <= 1 for one in kinds.get(MatchMade, ()))
        # A router that sent the legs one after the other lost that time as well.
        and took + _between(ready, asked, clocks) < COSTLY
    )


def _is_one_prompt(
    asked: RequestAdmitted, decided: LoadDecided, begun: PrefillAdmitted, ready: BlocksReady
) -> bool:
    """Whether both sides count on the same tokens, all of them from the producer's prefill."""
    wanted = decided.tokens + decided.computed
    return (
        asked.tokens == begun.tokens
        and decided.tokens > 0
        and ready.computed in (0, wanted)
        and ready.computed - begun.tokens < DECODED
    )


def _between(first: Told, second: Told, clocks: Clocks) -> int:
    """Nanoseconds by which the second came later; 0 where it came before."""
    return max(0, clocks.instant(second.mark) - clocks.instant(first.mark))


_ONCE = (RequestAdmitted, LoadDecided, PrefillAdmitted, BlocksReady, RequestResumed)
"""What the schedulers tell of a prompt, once each."""

_USUAL = frozenset(
    (
        *_ONCE,
        BlocksQueued,
        BlocksReleased,
        BlocksShipped,
        CompletionCounted,
        LeaseGranted,
        MatchMade,
        MatchMissed,
        NotificationNoticed,
        ReceiveFinished,
        ReceiveReported,
        RegistrationNoticed,
        RegistrationQueued,
        RegistrationSent,
        RegistrationShipped,
        RegistrationStaged,
        RequestFinished,
        SendReported,
        WriteFinished,
        WritePosted,
        WriteStarted,
    )
)
"""What is told of a transfer without trouble."""
