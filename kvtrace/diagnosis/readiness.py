"""Rules for blocks that are not there: the prefill failed, ran elsewhere, or never came."""

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis
from kvtrace.diagnosis.case import Case
from kvtrace.events import (
    BlocksReady,
    PrefillAdmitted,
    RegistrationNoticed,
    RegistrationSent,
)
from kvtrace.model import Role
from kvtrace.words import clean


def prefill_failed(case: Case) -> Diagnosis | None:
    """The producer's request ended without blocks to write, and the consumer still waits."""
    ended = case.first(BlocksReady)
    if ended is None or ended.event.held or case.transfer.consumer is None:
        return None
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    return case.blame(
        Cause.PREFILL_FAILED,
        f"{p} ended the request as {clean(ended.event.status) or 'failed'}, {case.ago(ended)} ago; "
        f"{d} still waits for its blocks.",
        f"Let the router cancel the request on {d} when {p} does not answer with success.",
        [case.saw(ended, f"The prefill ended as {clean(ended.event.status) or 'failed'}.")],
    )


def prefill_ran_elsewhere(case: Case) -> Diagnosis | None:
    """The consumer registered with one producer, and another one computed the blocks."""
    asked = case.first(RegistrationSent, RegistrationNoticed)
    half = case.transfer.consumer or case.transfer.producer
    if asked is None or half is None or case.has(PrefillAdmitted, BlocksReady):
        return None
    named = case.engine_id(Role.PRODUCER)
    for other in case.scene.alike(half.base):
        theirs = other.producer
        if theirs is None or theirs.engine == named or other.id == case.transfer.id:
            continue
        ran = next((t for t in theirs.told.values() if isinstance(t.event, BlocksReady)), None)
        if ran is None:
            continue
        there, p = case.scene.called(theirs.engine), case.called(Role.PRODUCER)
        d = case.called(Role.CONSUMER)
        return case.blame(
            Cause.PREFILL_RAN_ELSEWHERE,
            f"{d} registered with {p}; the prefill ran on {there}, which holds the blocks.",
            f"In the router choose P first, then build {d}’s transfer parameters from it, and "
            "prefill on that same P.",
            [
                case.saw(asked, f"{d} registered with {p}."),
                case.saw(case.found(ran), f"The blocks became ready on {there}."),
                case.never("prefill.admitted", f"{p} was never asked to prefill it."),
            ],
        )
    return None
