"""Rules for blocks that the producer gave back before the consumer came for them."""

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis, Evidence
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.found import Found
from kvtrace.events import (
    BlocksReady,
    Event,
    HeartbeatSent,
    LeaseExpired,
    LeaseRenewed,
    LoadDecided,
    MatchMade,
    RegistrationNoticed,
    RegistrationSent,
    RegistrationSkipped,
    RequestAdmitted,
    WritePosted,
)
from kvtrace.model import Role
from kvtrace.words import clean, duration


def lease_never_renewed(case: Case) -> Diagnosis | None:
    """The consumer's heartbeats came in time, and named an id that the producer does not hold."""
    expired = _expired_unread(case)
    asked = case.first(RequestAdmitted) if expired is not None else None
    half = case.transfer.producer
    if expired is None or asked is None or half is None or not asked.event.heartbeat:
        return None
    named = asked.event.remote_request
    if not named or named == half.request or asked.at >= expired.at:
        return None
    beat = _beat(case, asked, expired)
    if beat is None:
        return None
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    return case.blame(
        Cause.LEASE_NEVER_RENEWED,
        f"{p} gave the blocks back after {_held(case, expired)}: {d}’s heartbeats name "
        f"{clean(named)}, {p} holds {clean(half.request)}.",
        f"Raise `kv_lease_duration`{case.lease_now} on {p} above the time that requests queue on "
        f"{d}, or send the legs in sequence and pass on P’s own id.",
        [
            case.saw(asked, f"{d} was told the id that its heartbeats name."),
            beat,
            case.saw(expired, "The lease ran out, and nobody had read the blocks."),
        ],
    )


def lease_ran_out(case: Case) -> Diagnosis | None:
    """The lease was over before the consumer said where to write."""
    expired = _expired_unread(case)
    if expired is None or case.transfer.consumer is None:
        return None
    came = case.first(*(_CAME if case.has(RegistrationNoticed) else _SENT))
    if came is not None and came.at <= expired.at:
        return None
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    if came is None:
        late = f"{d} has not asked yet."
        last = case.never("registration.sent", f"{d} did not ask in that time.")
    else:
        late = f"{d} asked {duration(came.at - expired.at)} later."
        last = case.saw(came, "The registration came when the blocks were gone.")
    return case.blame(
        Cause.LEASE_RAN_OUT,
        f"{p} gave the blocks back after {_held(case, expired)}; {late}",
        f"Raise `kv_lease_duration`{case.lease_now} on {p} above the time that requests queue on "
        f"{d}, or give {d} fewer requests; cancel this one on {d}.",
        [case.saw(expired, "The lease ran out, and nobody had read the blocks."), last],
    )


def _expired_unread(case: Case) -> Found[LeaseExpired] | None:
    """The end of the lease, where no write was under way and nobody had read."""
    expired = case.first(LeaseExpired)
    if expired is None or expired.event.readers or expired.event.writes:
        return None
    if case.has(MatchMade, WritePosted, RegistrationSkipped):
        return None
    decided = case.last(LoadDecided)
    return None if decided is not None and not decided.event.tokens else expired


def _beat(
    case: Case, asked: Found[RequestAdmitted], expired: Found[LeaseExpired]
) -> Evidence | None:
    """A heartbeat while the lease ran: the producer's word of it counts more."""
    p, d = case.engine_id(Role.PRODUCER), case.engine_id(Role.CONSUMER)
    for heard in case.scene.notices(p, LeaseRenewed):
        if asked.at < heard.at < expired.at and heard.event.example == asked.event.remote_request:
            return case.saw(heard, "A heartbeat named that id, which matched no lease.")
    for sent in case.scene.notices(d, HeartbeatSent):
        if asked.at < sent.at < expired.at and sent.event.producer == p and not sent.event.failed:
            return case.saw(sent, f"{case.called(Role.CONSUMER)} sent a heartbeat.")
    return None


def _held(case: Case, expired: Found[LeaseExpired]) -> str:
    """How long the blocks were held."""
    since = case.first(BlocksReady)
    return "its lease" if since is None else duration(expired.at - since.at)


_CAME: tuple[type[Event], ...] = (RegistrationNoticed,)
_SENT: tuple[type[Event], ...] = (RegistrationSent,)
