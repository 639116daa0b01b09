"""Rules for blocks that are not there: the prefill failed, ran elsewhere, or never came."""

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis, Evidence
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.found import Found
from kvtrace.diagnosis.router import answered_badly
from kvtrace.events import (
    BlocksReady,
    Event,
    MatchMade,
    PrefillAdmitted,
    RegistrationNoticed,
    RegistrationSent,
    RequestAdmitted,
    RequestFinished,
    WritePosted,
)
from kvtrace.model import Role
from kvtrace.transfer import Half, Told
from kvtrace.words import clean

SECOND = 1_000_000_000
"""Nanoseconds that the consumer's request has to outlive the producer's by: a client that leaves
ends both at once."""

RETRIED = 5 * SECOND
"""What ended so long before the consumer's leg came was an earlier attempt under the same id."""


def prefill_failed(case: Case) -> Diagnosis | None:
    """The producer's request ended without blocks to write, and the consumer still waits."""
    if case.transfer.consumer is None:
        return None
    ended = case.first(BlocksReady)
    if ended is not None and ended.event.held:
        return None
    if ended is None:
        if case.has(MatchMade, WritePosted, RequestFinished):
            return None
        return _refused(case)
    asked = case.first(RequestAdmitted)
    if asked is not None and asked.at - ended.at > RETRIED:
        return None
    finished = case.first(RequestFinished)
    if finished is not None and finished.at - ended.at < SECOND:
        return None
    return _failed(case, ended)


def _failed(case: Case, ended: Found[BlocksReady]) -> Diagnosis:
    status = clean(ended.event.status) or "failed"
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    return case.blame(
        Cause.PREFILL_FAILED,
        f"{p} ended the request as {status}, {case.ago(ended)} ago; "
        f"{d} still waits for its blocks.",
        f"Let the router cancel the request on {d} when {p} does not answer with success.",
        [case.saw(ended, f"The prefill ended as {status}.")],
    )


def _refused(case: Case) -> Diagnosis | None:
    """What the producer, or the router, told of a request that was never begun."""
    half, named = case.transfer.consumer, case.engine_id(Role.PRODUCER)
    for word in case.scene.last_words(half.base, BlocksReady) if half is not None else ():
        if word.place.engine == named and not word.event.held:
            return _failed(case, word)
    answer = None if case.has(PrefillAdmitted) else answered_badly(case, Role.PRODUCER)
    if answer is None:
        return None
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    ended = clean(answer.event.error) or str(answer.event.status)
    return case.blame(
        Cause.PREFILL_FAILED,
        f"The router’s leg to {p} ended with {ended}, {case.ago(answer)} ago; "
        f"{d} still waits for its blocks.",
        f"Let the router cancel the request on {d} when {p} does not answer with success.",
        [case.saw(answer, f"The router heard {ended} from {p}.")],
    )


def prefill_ran_elsewhere(case: Case) -> Diagnosis | None:
    """The consumer registered with one producer, and another one computed the blocks."""
    if case.has(MatchMade, WritePosted):
        return None
    if case.transfer.consumer is None and case.has(BlocksReady):
        return _asked_elsewhere(case)
    asked = case.first(RegistrationSent, RegistrationNoticed)
    half = case.transfer.consumer or case.transfer.producer
    if asked is None or half is None or case.has(PrefillAdmitted, BlocksReady):
        return None
    named = case.engine_id(Role.PRODUCER)
    for other in case.scene.alike(half.base):
        theirs = other.producer
        if theirs is None or theirs.engine == named or other.id == case.transfer.id:
            continue
        ran = None if other.consumer is not None else _held(theirs)
        if ran is not None:
            ends = (case.engine_id(Role.CONSUMER), named, theirs.engine)
            shown = case.saw(case.found(ran), "The blocks became ready there.")
            return _elsewhere(case, ends, asked, shown)
    return None


def _asked_elsewhere(case: Case) -> Diagnosis | None:
    """The same, as the producer sees it that holds the blocks."""
    ready, half = case.first(BlocksReady), case.transfer.producer
    if ready is None or half is None or not ready.event.held:
        return None
    for other in case.scene.alike(half.base):
        theirs = other.consumer
        if theirs is None or other.joined in ("match", "base id"):
            continue
        for told in theirs.told.values():
            if isinstance(told.event, RegistrationSent) and told.event.producer != half.engine:
                ends = (theirs.engine, told.event.producer, half.engine)
                shown = case.saw(ready, "The blocks became ready here.")
                return _elsewhere(case, ends, case.found(told), shown)
    return None


def _elsewhere(
    case: Case, ends: tuple[str, str, str], asked: Found[Event], ready: Evidence
) -> Diagnosis:
    """The consumer, the producer that it asked, and the one that holds the blocks."""
    d, p, there = (case.scene.called(one) for one in ends)
    unheard = case.scene.engine(ends[1]) is None
    return case.blame(
        Cause.PREFILL_RAN_ELSEWHERE,
        f"{d} registered with {p}; the prefill ran on {there}, which holds the blocks.",
        f"In the router choose P first, then build {d}’s transfer parameters from it, and "
        "prefill on that same P.",
        [
            case.saw(asked, f"{d} registered with {p}."),
            ready,
            case.never("prefill.admitted", f"{p} was never asked to prefill it."),
        ],
        doubt=f"nothing is heard of {p}" if unheard else "",
    )


def _held(half: Half) -> Told | None:
    """That its blocks became ready, where nobody has come for them."""
    if any(isinstance(one.event, MatchMade) for one in half.told.values()):
        return None
    for one in half.told.values():
        if isinstance(one.event, BlocksReady) and one.event.held:
            return one
    return None
