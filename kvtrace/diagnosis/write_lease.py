"""Rules for writes that ran while the blocks at either end were no longer theirs."""

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis, Evidence
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.found import Found
from kvtrace.events import (
    HandshakeStarted,
    LeaseExpired,
    ReceiveFailed,
    ReceiveReported,
    TablesSampled,
    WriteFinished,
    WritePosted,
    WriteStarted,
)
from kvtrace.model import Role
from kvtrace.words import duration


def write_after_lease(case: Case) -> Diagnosis | None:
    """A write was posted after its rank had given the blocks up."""
    if not case.has(LeaseExpired) or not case.has(WritePosted):
        return None
    expired = {one.place.rank: one for one in case.all(LeaseExpired)}
    for posted in case.all(WritePosted):
        gone = expired.get(posted.place.rank)
        if gone is None or posted.at <= gone.at:
            continue
        where = case.place(posted.place)
        deferred = next((o for o in case.all(WriteStarted) if o.event.outcome == "deferred"), None)
        shown = (
            [] if deferred is None else [case.saw(deferred, "The write waited for a handshake.")]
        )
        return case.blame(
            Cause.WRITE_AFTER_LEASE,
            f"{where} gave the blocks back, and posted the write of them "
            f"{duration(posted.at - gone.at)} later; {_took(case)}.",
            f"Discard this answer and send the request anew; {_raise(case)} above the time of a "
            "first handshake, or warm the link up.",
            [
                *shown,
                case.saw(gone, "The lease ran out."),
                case.saw(posted, "The write was posted after that."),
            ],
        )
    return None


def lease_expired_during_write(case: Case) -> Diagnosis | None:
    """The lease ran out while a write of the blocks was under way."""
    if not case.has(LeaseExpired) or not case.has(WritePosted):
        return None
    gone = next((one for one in case.all(LeaseExpired) if one.event.writes), None)
    if gone is None:
        return None
    where = case.place(gone.place)
    posted = [
        o for o in case.all(WritePosted) if o.place.rank == gone.place.rank and o.at < gone.at
    ]
    landed = [o for o in case.all(WriteFinished) if o.place.rank == gone.place.rank]
    since = f", {duration(gone.at - posted[0].at)} after its post" if posted else ""
    shown = [case.saw(posted[0], "The write was posted.")] if posted else []
    shown.append(case.saw(gone, f"The lease ran out with {gone.event.writes} under way."))
    shown += [case.saw(one, "The write landed after that.") for one in landed if one.at > gone.at]
    return case.blame(
        Cause.LEASE_EXPIRED_DURING_WRITE,
        f"{where} gave the blocks back while it wrote them{since}; {_took(case)}.",
        f"Discard this answer and send the request anew; {_raise(case)} far above the longest "
        "write on this link.",
        shown,
    )


def blocks_reused(case: Case) -> Diagnosis | None:
    """The consumer gave its blocks up while a write into them was under way."""
    if not case.has(ReceiveFailed, ReceiveReported) or not case.has(WritePosted):
        return None
    failed = _failed(case)
    if failed is None:
        return None
    ended = {(o.place.rank, o.event.peer_rank): o for o in case.all(WriteFinished)}
    for posted in case.all(WritePosted):
        end = ended.get((posted.place.rank, posted.event.peer_rank))
        if posted.at > failed.at or (end is not None and end.at <= failed.at):
            continue
        d, where = case.called(Role.CONSUMER), case.place(posted.place)
        late = (
            case.saw(end, "The write landed after that.")
            if end is not None
            else case.never("write.finished", "It had not landed by then.", posted.place)
        )
        return case.blame(
            Cause.BLOCKS_REUSED,
            f"{d} gave its blocks up while {where} still wrote into them; what {d} puts there "
            "next was overwritten.",
            f"Discard what {d} answered in that time; find why the receive failed; upgrade vLLM "
            "on both sides.",
            [
                case.saw(posted, "The write was posted."),
                case.saw(failed, "The receive was given up."),
                late,
            ],
        )
    return None


def peer_evicted(case: Case) -> Diagnosis | None:
    """The producer's rank dropped the consumer from its peers while it wrote to it."""
    if not case.has(WritePosted) or case.engine_id(Role.PRODUCER) == "":
        return None
    over = case.steps.landed
    for posted in case.all(WritePosted):
        if (posted.place.rank, posted.event.peer_rank) in over:
            continue
        found = _dropped(case, posted)
        if found is None:
            continue
        where, d = case.place(posted.place), case.called(Role.CONSUMER)
        now = case.scene.ttl_now(case.engine_id(Role.PRODUCER))
        return case.blame(
            Cause.PEER_EVICTED,
            f"{where} dropped {d} from its peers while its write to it was under way.",
            f"Raise `engine_ttl`{now} on {case.called(Role.PRODUCER)} above the longest write and "
            f"the longest pause; restart {where} if it no longer steps.",
            [case.saw(posted, f"The write to {d} was posted."), found],
        )
    return None


def _dropped(case: Case, posted: Found[WritePosted]) -> Evidence | None:
    """A second handshake with the same consumer, or that no peer is left at all."""
    p, d = case.engine_id(Role.PRODUCER), case.engine_id(Role.CONSUMER)
    for again in (*case.all(HandshakeStarted), *case.scene.notices(p, HandshakeStarted)):
        mine = again.place.engine == p and again.place.rank == posted.place.rank
        if mine and again.event.peer == d and again.at > posted.at:
            return case.saw(again, "It had to shake hands with that peer again.")
    before: Found[TablesSampled] | None = None
    for one in case.scene.notices(p, TablesSampled):
        if one.place.rank != posted.place.rank or "peers" not in one.event.sizes:
            continue
        left = one.event.sizes["peers"]
        if one.at > posted.at and left == 0 and before is not None and before.event.sizes["peers"]:
            return case.saw(one, "It knew no peer any more.")
        before = one
    return None


def _failed(case: Case) -> Found[ReceiveFailed] | Found[ReceiveReported] | None:
    failed = case.first(ReceiveFailed)
    if failed is not None:
        return failed
    return next((one for one in case.all(ReceiveReported) if one.event.failed), None)


def _took(case: Case) -> str:
    """What became of it on the consumer."""
    d = case.called(Role.CONSUMER)
    if case.has(ReceiveReported):
        return f"{d} took what came for its prompt’s KV"
    return f"{d} was not told"


def _raise(case: Case) -> str:
    return f"raise `kv_lease_duration`{case.lease_now} on {case.called(Role.PRODUCER)}"
