"""The rule for a rank that wrote nothing while its siblings did."""

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis, Evidence
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.found import Found
from kvtrace.events import Event, WriteFinished, WritePosted
from kvtrace.model import Place, Role
from kvtrace.transfer import Half

OVERDUE = 5_000_000_000
"""Nanoseconds that ranks are given after the first of them wrote."""


def rank_never_wrote(case: Case) -> Diagnosis | None:
    """Some ranks wrote, and one that the consumer counts on did not."""
    if case.waited < OVERDUE or not case.has(WritePosted, WriteFinished):
        return None
    half = case.transfer.producer
    wanted = case.steps.pairs
    wrote = set(case.steps.at("write.posted")) | set(case.steps.landed)
    silent = sorted(wanted - wrote)
    first = case.first(WritePosted, WriteFinished)
    if half is None or not silent or not wanted & wrote or first is None:
        return None
    if case.now - first.at < OVERDUE:
        return None
    rank, peer = silent[0]
    mine = Place(half.engine, Role.PRODUCER, rank)
    theirs = Place(case.engine_id(Role.CONSUMER), Role.CONSUMER, peer)
    where, to = case.place(mine), case.place(theirs)
    return case.blame(
        Cause.RANK_NEVER_WROTE,
        f"{len(wanted & wrote)} of {len(wanted)} writes were posted; {where} did not write to {to}"
        f"; {_last_step(case, half, rank)}.",
        f"Read {where}’s log from that time; let the router cancel the request on "
        f"{case.called(Role.CONSUMER)}, which waits for all of them.",
        [
            case.saw(first, f"{case.place(first.place)} wrote."),
            *_last(case, half, rank),
            case.never("write.posted", f"{where} posted no write to {to}.", mine),
        ],
    )


_TOLD = {
    "write.started": "it set out to",
    "match.made": "it got as far as the match",
    "registration.noticed": "it noticed the registration",
    "blocks.queued": "it had the blocks, and no registration",
    "lease.granted": "it had the blocks, and no registration",
    "lease.expired": "it gave the blocks back",
    "write.posted": "it wrote elsewhere",
    "write.finished": "it wrote elsewhere",
}


def _last_step(case: Case, half: Half, rank: int) -> str:
    told = _newest(case, half, rank)
    name = "" if told is None else str(told.event.__struct_config__.tag)
    return _TOLD.get(name, "it told nothing of it" if told is None else f"its last word is {name}")


def _last(case: Case, half: Half, rank: int) -> list[Evidence]:
    told = _newest(case, half, rank)
    return [] if told is None else [case.saw(told, "The last that this rank told of it.")]


def _newest(case: Case, half: Half, rank: int) -> Found[Event] | None:
    told = (case.found(one) for one in half.told.values() if one.place.rank == rank)
    return max(told, key=lambda one: (one.at, one.told.seq), default=None)
