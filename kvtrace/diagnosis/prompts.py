"""Rules for legs that carry different prompts."""

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis, Evidence
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.found import Found
from kvtrace.events import (
    BlocksQueued,
    PrefillAdmitted,
    RegistrationNoticed,
    RegistrationStaged,
    RequestAdmitted,
    WritePosted,
    WriterFailed,
    WriteStarted,
)
from kvtrace.model import Role
from kvtrace.words import clean, many


def prompts_differ(case: Case) -> Diagnosis | None:
    """The write was refused, since the consumer asked for more blocks than the producer has."""
    if not case.has(WriterFailed, WriteStarted):
        return None
    refused = _refused(case)
    asked = _asked(case) if refused is not None else None
    has = case.first(BlocksQueued) if asked is not None else None
    if refused is None or asked is None or has is None or not _same_blocks(case):
        return None
    if asked.event.blocks <= has.event.blocks:
        return None
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    return case.blame(
        Cause.PROMPTS_DIFFER,
        f"{d} asked for {many(asked.event.blocks, 'block')}, {p} has {has.event.blocks:,}: the "
        "legs’ prompts differ, and the write was refused.",
        _REMEDY,
        [
            case.saw(asked, f"{d} asked for {many(asked.event.blocks, 'block')}."),
            case.saw(has, f"{p} had {has.event.blocks:,}."),
            case.saw(refused, "The writer refused the write."),
            *_lengths(case),
        ],
    )


def prompts_differed(case: Case) -> Diagnosis | None:
    """The consumer took KV that was computed from a prompt of another length."""
    if not case.has(WritePosted) or case.transfer.joined not in ("match", "registration"):
        return None
    shown = _lengths(case)
    if not shown:
        return None
    theirs, mine = case.first(PrefillAdmitted), case.first(RequestAdmitted)
    assert theirs is not None
    assert mine is not None
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    return case.blame(
        Cause.PROMPTS_DIFFER,
        f"{p} computed a prompt of {many(theirs.event.tokens, 'token')}, {d} took its KV for "
        f"one of {mine.event.tokens:,}: the answer rests on wrong values.",
        _REMEDY,
        shown,
    )


def _refused(case: Case) -> Found[WriterFailed] | Found[WriteStarted] | None:
    for failed in case.all(WriterFailed):
        if failed.event.seam == "start write" and _is_mismatch(failed):
            return failed
    return next((o for o in case.all(WriteStarted) if o.event.outcome == "empty"), None)


def _is_mismatch(failed: Found[WriterFailed]) -> bool:
    return failed.event.error_type == "AssertionError" or "mismatch" in clean(failed.event.error)


def _asked(case: Case) -> Found[RegistrationNoticed] | Found[RegistrationStaged] | None:
    return case.first(RegistrationNoticed) or case.first(RegistrationStaged)


def _same_blocks(case: Case) -> bool:
    """Whether a block means as many tokens on both sides, as far as told."""
    told = [case.scene.settings(case.engine_id(role)) for role in Role]
    return len({one.block_size for one in told if one is not None and one.block_size}) < 2


def _lengths(case: Case) -> list[Evidence]:
    """How long each side's prompt was, where they differ."""
    theirs, mine = case.first(PrefillAdmitted), case.first(RequestAdmitted)
    if theirs is None or mine is None or not theirs.event.tokens or not mine.event.tokens:
        return []
    if theirs.event.tokens == mine.event.tokens:
        return []
    return [
        case.saw(theirs, f"P’s prompt has {many(theirs.event.tokens, 'token')}."),
        case.saw(mine, f"D’s prompt has {many(mine.event.tokens, 'token')}."),
    ]


_REMEDY = (
    "Let the router send both legs the same token ids; check that neither leg appends or cuts "
    "tokens, and that both engines have one chat template."
)
