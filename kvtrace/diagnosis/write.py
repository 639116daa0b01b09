"""Rules for writes that were not posted, failed, or never landed."""

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.found import Found
from kvtrace.events import StepSampled, WriteFailed, WritePosted, WriterFailed, WriteStarted
from kvtrace.model import Phase, Place, Role
from kvtrace.words import clean, duration, setting

SECOND = 1_000_000_000

OVERDUE = 5 * SECOND
"""Nanoseconds that a posted write is given at least."""

BEYOND = 10
"""Times what nine in ten handoffs stay below on the link that it is given besides."""


def write_not_posted(case: Case) -> Diagnosis | None:
    """A producer's rank had both halves of the pair and could not post its write."""
    if not case.has(WriteFailed, WriterFailed, WriteStarted):
        return None
    failed = _failed(case, "prepare", "post")
    if failed is not None:
        peer = f" to {_peer(case, failed)}"
        return _not_posted(case, failed, peer, failed.event.error)
    for raised in case.all(WriterFailed):
        if raised.event.seam == "start write" and not _posted_at(case, raised.place):
            error = raised.event.error or raised.event.error_type
            return _not_posted(case, raised, "", f"{raised.event.error_type}: {clean(error)}")
    for started in case.all(WriteStarted):
        if started.event.outcome == "raised" and not _posted_at(case, started.place):
            return _not_posted(case, started, "", started.event.error)
    return None


def _not_posted(
    case: Case,
    told: Found[WriteFailed] | Found[WriterFailed] | Found[WriteStarted],
    to: str,
    e: str,
) -> Diagnosis:
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    where = case.place(told.place)
    error = clean(e) or "an error"
    return case.blame(
        Cause.WRITE_NOT_POSTED,
        f"{where} could not post its write{to}: {error}; {d} was not told.",
        f"Read {where}’s log for that error, and let the router cancel the request on {d}: {p} "
        f"does not try again{lease(case)}.",
        [case.saw(told, f"The write ended before it was posted: {error}.")],
    )


def write_failed(case: Case) -> Diagnosis | None:
    """A write was posted, and ended in an error."""
    failed = _failed(case, "transfer")
    if failed is None:
        return None
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    posted = next((one for one in _writes(case) if _same(one, failed)), None)
    after = f", {duration(failed.at - posted.at)} after its post" if posted is not None else ""
    shown = [] if posted is None else [case.saw(posted, "The write was posted.")]
    error = clean(failed.event.error) or "an error"
    return case.blame(
        Cause.WRITE_FAILED,
        f"The write of {case.place(failed.place)} to {_peer(case, failed)} ended in {error}"
        f"{after}.",
        f"Check the network between {p} and {d}; cancel the request on {d} and send it anew; "
        f"restart {p} if its next writes to {d} fail as well.",
        [*shown, case.saw(failed, f"The write ended in {error}.")],
    )


def write_never_lands(case: Case) -> Diagnosis | None:
    """A write was posted long ago, both ends run, and it is neither done nor in error."""
    if case.phase is not Phase.WRITE or case.waited < OVERDUE or not case.has(WritePosted):
        return None
    stuck = _stuck(case)
    if stuck is None or _age(case, stuck) < _allowed(case):
        return None
    polled = _polled(case, stuck)
    if polled is None:
        return None
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    usual = case.usual
    takes = "" if usual is None else f"; a handoff on this link takes {duration(usual.handoff)}"
    to = _peer(case, stuck)
    return case.blame(
        Cause.WRITE_NEVER_LANDS,
        f"{case.place(stuck.place)} posted its write to {to} {duration(_age(case, stuck))} ago; "
        f"it has not landed{takes}.",
        f"Check the path from {p} to {d} (firewall, routes, link), and set UCX’s keepalive; cancel "
        f"the request on {d}: vLLM has no limit for a write{lease(case)}.",
        [
            case.saw(stuck, f"The write to {to} was posted."),
            case.saw(polled, f"{p} looked at its writes since, and saw no error."),
            case.never("write.finished", "The write did not land.", stuck.place),
        ],
    )


def _allowed(case: Case) -> int:
    usual = case.usual
    return OVERDUE if usual is None else max(OVERDUE, BEYOND * usual.nine_in_ten)


def _age(case: Case, posted: Found[WritePosted]) -> int:
    return min(case.now - posted.at, case.waited)


def _stuck(case: Case) -> Found[WritePosted] | None:
    """The oldest write that neither side knows to be over."""
    over = {(one.place.rank, one.event.peer_rank) for one in case.all(WriteFailed)}
    over |= set(case.steps.landed)
    return next((one for one in _writes(case) if ranks(one) not in over), None)


def _polled(case: Case, stuck: Found[WritePosted]) -> Found[StepSampled] | None:
    """That the producer's rank looked since the post, while the consumer runs as far as told."""
    if case.scene.state(case.engine_id(Role.CONSUMER)) not in ("alive", "untraced", ""):
        return None
    sampled = case.scene.notices(case.engine_id(Role.PRODUCER), StepSampled)
    looked = (
        one
        for one in sampled
        if one.place.rank == stuck.place.rank and one.event.polls and one.at > stuck.at
    )
    return max(looked, key=lambda one: one.at, default=None)


def _failed(case: Case, *stages: str) -> Found[WriteFailed] | None:
    return next((one for one in case.all(WriteFailed) if one.event.stage in stages), None)


def _writes(case: Case) -> tuple[Found[WritePosted], ...]:
    return case.all(WritePosted)


def _posted_at(case: Case, place: Place) -> bool:
    return any(one.place.rank == place.rank for one in _writes(case))


def _same(posted: Found[WritePosted], failed: Found[WriteFailed]) -> bool:
    return (posted.place.rank, posted.event.peer_rank) == (
        failed.place.rank,
        failed.event.peer_rank,
    )


def ranks(posted: Found[WritePosted]) -> tuple[int, int]:
    """The producer's rank and the consumer's."""
    return posted.place.rank, posted.event.peer_rank


def lease(case: Case) -> str:
    """When the producer gives up the blocks, for the end of a remedy."""
    settings = case.scene.settings(case.engine_id(Role.PRODUCER))
    if settings is None or not settings.lease:
        return ""
    return f", and holds the blocks for `kv_lease_duration` (now {setting(settings.lease)})"


def _peer(case: Case, told: Found[WriteFailed] | Found[WritePosted]) -> str:
    """The consumer's rank that it was for."""
    return case.place(Place(case.engine_id(Role.CONSUMER), Role.CONSUMER, told.event.peer_rank))
