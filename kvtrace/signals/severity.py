"""How much an event matters, as OpenTelemetry's severity number."""

from kvtrace.events import (
    AnyEvent,
    FailureLogged,
    HandshakeFailed,
    HeartbeatSent,
    LeaseExpired,
    LeaseRenewed,
    ListenerDied,
    ReceiveFailed,
    ReceiveReported,
    RegistrationExpired,
    RegistrationSendFailed,
    RequestFinished,
    RequestResumed,
    StepSampled,
    TablesSampled,
    TracingStopped,
    WriteFailed,
    WriterFailed,
    WriteStarted,
)
from kvtrace.moments import Ended, News, Watched

DEBUG = 5
INFO = 9
WARN = 13
ERROR = 17

TEXT = {DEBUG: "DEBUG", INFO: "INFO", WARN: "WARN", ERROR: "ERROR"}
"""Each number's short name."""

_ALWAYS = {
    **dict.fromkeys((StepSampled, TablesSampled, LeaseRenewed), DEBUG),
    **dict.fromkeys((RegistrationExpired, LeaseExpired, TracingStopped), WARN),
    **dict.fromkeys(
        (
            FailureLogged,
            HandshakeFailed,
            ListenerDied,
            ReceiveFailed,
            RegistrationSendFailed,
            WriteFailed,
            WriterFailed,
        ),
        ERROR,
    ),
}
_BY_FIELDS = frozenset(
    (HeartbeatSent, ReceiveReported, RequestResumed, RequestFinished, WriteStarted)
)


def severity(event: AnyEvent) -> int:
    """How much the event matters: what fails is an error, what is given up a warning."""
    cls = type(event)
    if cls in _BY_FIELDS:
        return _by_fields(event)
    return _ALWAYS.get(cls, INFO)


def severity_of_other(news: News) -> int:
    """How much it matters, where it is not an event: something was lost, or a process is gone."""
    if isinstance(news, Watched):
        return DEBUG if news.state == "running" else WARN
    return INFO if isinstance(news, Ended) and news.goodbye else WARN


def _by_fields(event: AnyEvent) -> int:
    match event:
        case ReceiveReported(failed=True) | RequestResumed(failed=True):
            return ERROR
        case WriteStarted(outcome="raised"):
            return ERROR
        case HeartbeatSent(failed=failed):
            return WARN if failed else DEBUG
        case RequestFinished(parked=True):
            return WARN
        case _:
            return INFO
