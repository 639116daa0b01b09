"""The whole vocabulary in one place: every event, its name on the wire, and when a half is over.

Fields are only ever added, at the end and with a default, because black boxes and
recordings of every earlier version must stay readable. Times are nanoseconds, sizes bytes.
"""

from typing import TypeAlias

from kvtrace.vocabulary.consumer import (
    CompletionCounted,
    HeartbeatSent,
    LoadDecided,
    NotificationNoticed,
    ReceiveFailed,
    ReceiveFinished,
    ReceiveReported,
    RegistrationExpired,
    RegistrationQueued,
    RegistrationSendFailed,
    RegistrationSent,
    RegistrationShipped,
    RegistrationSkipped,
    RegistrationStaged,
    RequestAdmitted,
    RequestFinished,
    RequestResumed,
)
from kvtrace.vocabulary.engine import (
    FailureLogged,
    HandshakeFailed,
    HandshakeFinished,
    HandshakeStarted,
    ListenerDied,
    ListenerStarted,
    ProcessStarted,
    ProcessStopped,
    StepSampled,
    TablesSampled,
    TracingStopped,
    WriterFailed,
)
from kvtrace.vocabulary.event import Event
from kvtrace.vocabulary.producer import (
    BlocksQueued,
    BlocksReady,
    BlocksReleased,
    BlocksShipped,
    LeaseExpired,
    LeaseGranted,
    LeaseRenewed,
    MatchMade,
    MatchMissed,
    PrefillAdmitted,
    RegistrationNoticed,
    SendReported,
    WriteFailed,
    WriteFinished,
    WritePosted,
    WriteStarted,
)
from kvtrace.vocabulary.router import LegAnswered, LegSent

AnyEvent: TypeAlias = (
    RequestAdmitted
    | LoadDecided
    | RegistrationStaged
    | RegistrationSkipped
    | RegistrationShipped
    | RegistrationExpired
    | ReceiveFinished
    | ReceiveFailed
    | RequestResumed
    | RequestFinished
    | RegistrationQueued
    | RegistrationSent
    | RegistrationSendFailed
    | HeartbeatSent
    | NotificationNoticed
    | CompletionCounted
    | ReceiveReported
    | HandshakeStarted
    | HandshakeFinished
    | HandshakeFailed
    | PrefillAdmitted
    | BlocksReady
    | BlocksShipped
    | BlocksReleased
    | BlocksQueued
    | LeaseGranted
    | RegistrationNoticed
    | MatchMade
    | MatchMissed
    | WriteStarted
    | WritePosted
    | WriteFinished
    | WriteFailed
    | LeaseRenewed
    | LeaseExpired
    | SendReported
    | ProcessStarted
    | ProcessStopped
    | FailureLogged
    | WriterFailed
    | ListenerStarted
    | ListenerDied
    | StepSampled
    | TablesSampled
    | TracingStopped
    | LegSent
    | LegAnswered
)


def kind(event: Event) -> str:
    """The event's name on the wire, such as `registration.sent`."""
    return str(event.__struct_config__.tag)


def closes(event: AnyEvent) -> bool:
    """Whether its process needs to remember the half no longer."""
    if type(event) in _CLOSE:  # Most that close: a pattern for each would be ten times as dear.
        return True
    match event:
        case LeaseExpired(writes=0) | RequestFinished(parked=False) | BlocksReady(held=False):
            return True
        case _:
            return False


_CLOSE = frozenset(
    {RequestResumed, RegistrationSkipped, ReceiveReported, BlocksReleased, SendReported}
)


__all__ = [
    "AnyEvent",
    "BlocksQueued",
    "BlocksReady",
    "BlocksReleased",
    "BlocksShipped",
    "CompletionCounted",
    "Event",
    "FailureLogged",
    "HandshakeFailed",
    "HandshakeFinished",
    "HandshakeStarted",
    "HeartbeatSent",
    "LeaseExpired",
    "LeaseGranted",
    "LeaseRenewed",
    "LegAnswered",
    "LegSent",
    "ListenerDied",
    "ListenerStarted",
    "LoadDecided",
    "MatchMade",
    "MatchMissed",
    "NotificationNoticed",
    "PrefillAdmitted",
    "ProcessStarted",
    "ProcessStopped",
    "ReceiveFailed",
    "ReceiveFinished",
    "ReceiveReported",
    "RegistrationExpired",
    "RegistrationNoticed",
    "RegistrationQueued",
    "RegistrationSendFailed",
    "RegistrationSent",
    "RegistrationShipped",
    "RegistrationSkipped",
    "RegistrationStaged",
    "RequestAdmitted",
    "RequestFinished",
    "RequestResumed",
    "SendReported",
    "StepSampled",
    "TablesSampled",
    "TracingStopped",
    "WriteFailed",
    "WriteFinished",
    "WritePosted",
    "WriteStarted",
    "WriterFailed",
    "closes",
    "kind",
]
