"""What engines told without naming a request, or of trouble: the last of each kind, by engine."""

from collections import deque

from kvtrace.events import (
    FailureLogged,
    HandshakeFailed,
    HandshakeFinished,
    HandshakeStarted,
    HeartbeatSent,
    LeaseRenewed,
    ListenerDied,
    ListenerStarted,
    RegistrationSendFailed,
    StepSampled,
    TablesSampled,
    WriteFailed,
    WriterFailed,
)
from kvtrace.moments import Lost
from kvtrace.transfer import Told

MOST_ENGINES = 1_024
"""The one that was not heard for longest gives way."""

MOST_OF_A_KIND = 64
"""Of one engine: with eight ranks the last minute of samples."""

MOST_LOSSES = 16_384
"""Processes of which something was lost."""


class Notices:
    """The last notices of every engine, and which processes something was lost of."""

    def __init__(self) -> None:
        self._told: dict[str, dict[type, deque[Told]]] = {}
        self._lost: dict[str, int] = {}

    def hear(self, told: Told) -> None:
        """Take in what may matter to transfers that it does not name."""
        if type(told.event) not in KEPT:
            return
        engine = told.place.engine
        kinds = self._told.pop(engine, None)
        self._told[engine] = kinds = {} if kinds is None else kinds
        if len(self._told) > MOST_ENGINES:
            del self._told[next(iter(self._told))]
        kept = kinds.get(type(told.event))
        if kept is None:
            kept = kinds[type(told.event)] = deque(maxlen=MOST_OF_A_KIND)
        kept.append(told)

    def lose(self, lost: Lost) -> None:
        """Take in that events of a process were lost before anyone read them."""
        gone = lost.overwritten + lost.unreadable + lost.unknown + lost.ledger_full + lost.refused
        if gone:
            self._lost[lost.process] = self._lost.get(lost.process, 0) + gone
            if len(self._lost) > MOST_LOSSES:
                del self._lost[next(iter(self._lost))]

    def of(self, engine: str, kind: type) -> tuple[Told, ...]:
        """The last that the engine told of this kind, in the order in which we heard it."""
        return tuple(self._told.get(engine, {}).get(kind, ()))

    def lost(self, process: str) -> int:
        """Events of this process that nobody could read, as far as told; "" for any process."""
        return self._lost.get(process, 0)


KEPT = frozenset(
    (
        HandshakeStarted,
        HandshakeFinished,
        HandshakeFailed,
        FailureLogged,
        WriterFailed,
        WriteFailed,
        RegistrationSendFailed,
        ListenerStarted,
        ListenerDied,
        LeaseRenewed,
        HeartbeatSent,
        StepSampled,
        TablesSampled,
    )
)
"""Kinds that are kept."""
