"""Rules for a consumer whose load failed, was not needed, or was asked for twice."""

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis, Evidence
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.found import Found
from kvtrace.events import (
    BlocksReady,
    Event,
    FailureLogged,
    LeaseExpired,
    MatchMade,
    ReceiveFailed,
    ReceiveFinished,
    ReceiveReported,
    RegistrationNoticed,
    RegistrationSent,
    RegistrationSkipped,
    RegistrationStaged,
    RequestFinished,
    RequestResumed,
)
from kvtrace.model import Role
from kvtrace.words import clean, duration, many

FULL = "full hit"
"""Why the connector says that a consumer registered nothing."""


def load_failed(case: Case) -> Diagnosis | None:
    """The consumer gave the load up, and its policy decided what became of the request."""
    if not case.has(ReceiveFailed):
        return None
    failed = case.first(ReceiveFailed)
    if failed is None:
        return None
    d = case.called(Role.CONSUMER)
    settings = case.scene.settings(case.engine_id(Role.CONSUMER))
    policy = settings.facts.get("kv_load_failure_policy", "") if settings is not None else ""
    ended, shown = _became(case, policy)
    logged = next((one for one in case.all(FailureLogged) if one.at <= failed.at), None)
    reason = "" if logged is None else _reason(logged)
    told = case.first(ReceiveReported)
    evidence = [
        *([case.saw(logged, f"vLLM logged {reason}.")] if logged is not None else []),
        *([case.saw(told, f"{case.place(told.place)} gave it up.")] if told is not None else []),
        case.saw(failed, f"{d}’s scheduler heard that the KV will not come."),
        *shown,
    ]
    now = f" (now `{policy}`)" if policy else ""
    return case.blame(
        Cause.LOAD_FAILED_BY_POLICY,
        f"{d} gave up its load of the KV{f': {reason}' if reason else ''}; {ended}.",
        f"Find out in {d}’s log what the load failed of; `kv_load_failure_policy`{now} only "
        "chooses between an error and a prefill on D.",
        evidence,
        doubt="" if logged is not None else "what the load failed of was not told",
    )


def _became(case: Case, policy: str) -> tuple[str, list[Evidence]]:
    d = case.called(Role.CONSUMER)
    finished, resumed = case.last(RequestFinished), case.first(RequestResumed)
    if resumed is not None:
        return f"{d} prefilled it by itself", [case.saw(resumed, "The request went on without it.")]
    if finished is not None:
        status = clean(finished.event.status) or "an error"
        return f"the request ended as {status}", [case.saw(finished, f"It ended as {status}.")]
    what = {"recompute": f"{d} prefills it by itself", "fail": "the request ends in an error"}
    return what.get(policy, "the request did not get its KV"), []


def _reason(logged: Found[FailureLogged]) -> str:
    event = logged.event
    text = clean(event.error or event.message or event.error_type)[:120]
    return f"{clean(event.failure)} ({text})" if text else clean(event.failure)


def full_hit_held_blocks(case: Case) -> Diagnosis | None:
    """The consumer needed none of the blocks, and the producer held them as long as it leases."""
    if not case.has(RegistrationSkipped):
        return None
    skipped = case.first(RegistrationSkipped)
    if skipped is None or skipped.event.reason != FULL or case.has(RegistrationNoticed, MatchMade):
        return None
    ready, expired = case.first(BlocksReady), case.first(LeaseExpired)
    if ready is None or not ready.event.held or expired is None or expired.event.readers:
        return None
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    return case.blame(
        Cause.FULL_HIT_HOLDS_BLOCKS,
        f"{d} had the whole prompt in its cache and asked for nothing; {p} held "
        f"{many(ready.event.blocks, 'block')} for {duration(expired.at - ready.at)} for nobody.",
        f"Lower `kv_lease_duration`{case.lease_now} on {p}, or let the router send prompts that "
        f"{d} has in its cache to {d} alone.",
        [
            case.saw(skipped, f"{d} found the whole prompt in its cache."),
            case.saw(ready, f"The blocks became ready on {p}."),
            case.saw(expired, "Their lease ran out, and nobody had read them."),
        ],
    )


def loaded_twice(case: Case) -> Diagnosis | None:
    """The consumer had its KV, and asked for it once more."""
    if not case.has(ReceiveFinished) or case.has(RequestResumed):
        return None
    landed = case.first(ReceiveFinished)
    again = case.last(RegistrationStaged)
    if landed is None or again is None or again.at <= landed.at:
        return None
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    sent = _after(case.last(RegistrationSent), landed.at)
    return case.blame(
        Cause.LOADED_TWICE,
        f"{d} had the KV, and asked {p} for it again {duration(again.at - landed.at)} later; {p} "
        "does not write it twice.",
        f"Restart nothing: cancel the request on {d}, and report with its parameters how it came "
        f"to be loaded again; raise {d}’s KV cache if it is preempted often.",
        [
            case.saw(landed, f"The KV was there on {d}."),
            case.saw(again, f"{d} allocated blocks and registered once more."),
            *([case.saw(sent, "The registration was sent again.")] if sent is not None else []),
            case.never("request.resumed", "The request did not go on."),
        ],
    )


def _after(found: Found[Event] | None, at: int) -> Found[Event] | None:
    return found if found is not None and found.at > at else None
