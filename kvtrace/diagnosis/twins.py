"""Rules for two requests that go by one id, of which one can get the other's blocks."""

from kvtrace.causes import Cause
from kvtrace.diagnosed import Confidence, Diagnosis, Evidence
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.found import Found
from kvtrace.events import (
    BlocksReady,
    MatchMade,
    PrefillAdmitted,
    RegistrationNoticed,
    RegistrationSent,
    RequestAdmitted,
    WritePosted,
)
from kvtrace.model import Role
from kvtrace.transfer import Half, Transfer
from kvtrace.words import clean, many

_REMEDY = (
    "Let the router give each request, and each retry, an `X-Request-Id` of its own; do not pass "
    "on the client’s."
)


def blocks_went_to_a_twin(case: Case) -> Diagnosis | None:
    """The producer matched the blocks of this id to another request of the same id."""
    half = case.transfer.consumer
    if half is None or case.has(PrefillAdmitted, BlocksReady, MatchMade, WritePosted):
        return None
    asked = case.first(RegistrationSent, RegistrationNoticed)
    if asked is None:
        return None
    begun = case.first(RequestAdmitted) or asked
    for other in case.scene.alike(half.base):
        theirs = other.producer
        if other.id == case.transfer.id or theirs is None:
            continue
        for told in theirs.told.values():
            if not isinstance(told.event, MatchMade) or told.event.remote_request == half.request:
                continue
            match, p = case.found(told), case.scene.called(theirs.engine)
            # Who comes when another of its id was served has a turn of its own, unless the blocks
            # were plainly its own.
            if match.at < begun.at and not _was_meant_for(case, other):
                continue
            return case.blame(
                Cause.TWO_REQUESTS_ONE_ID,
                f"{p} gave the blocks of {clean(half.base)} to "
                f"{clean(told.event.remote_request)}; {clean(half.request)} has the same id and "
                "still waits.",
                _REMEDY,
                [
                    case.saw(asked, f"{case.called(Role.CONSUMER)} registered this one."),
                    case.saw(match, f"{p} matched the blocks to another request of that id."),
                    *_lengths(case, other),
                ],
            )
    return None


def _was_meant_for(case: Case, other: Transfer) -> bool:
    """Whether the other took blocks of this one's length, which is not its own."""
    asked = case.first(RequestAdmitted)
    computed, wanted = _tokens(other.producer), _tokens(other.consumer)
    mine = asked.event.tokens if asked is not None else 0
    return bool(mine and wanted) and mine == computed != wanted


def _lengths(case: Case, other: Transfer) -> list[Evidence]:
    """How long the prompts were, where both requests' and the computed one's are known."""
    asked = case.first(RequestAdmitted)
    computed, wanted = _tokens(other.producer), _tokens(other.consumer)
    if asked is None or not (asked.event.tokens and computed and wanted):
        return []
    text = (
        f"Its prompt has {many(asked.event.tokens, 'token')}; the blocks were of {computed:,}, "
        f"and went to a prompt of {wanted:,}."
    )
    return [case.saw(asked, text)]


def _tokens(half: Half | None) -> int:
    """The length of a half's prompt; 0 where it is not told."""
    told = half.told.values() if half is not None else ()
    lengths = (
        one.event.tokens for one in told if isinstance(one.event, PrefillAdmitted | RequestAdmitted)
    )
    return next(lengths, 0)


def twins_wait(case: Case) -> Diagnosis | None:
    """Halves of several requests with this id are there, and nothing tells which belong where."""
    rivals = case.transfer.rivals
    if not rivals:
        return None
    half = case.transfer.consumer or case.transfer.producer
    seen = case.first(RequestAdmitted, PrefillAdmitted, BlocksReady, RegistrationSent)
    if half is None or seen is None:
        return None
    return case.blame(
        Cause.TWO_REQUESTS_ONE_ID,
        f"{clean(half.request)} waits; so do others of the same id: "
        f"{', '.join(map(clean, rivals[:3]))}.",
        _REMEDY,
        [case.saw(seen, f"{clean(half.request)} is one of them.")],
        doubt="nothing tells which of them belong together",
    )


def matched_a_twin(case: Case) -> Diagnosis | None:
    """Several waited under the id when the blocks were matched, and the first was taken."""
    made = case.first(MatchMade)
    if made is None or made.event.exact:
        return None
    begun, asked = case.first(PrefillAdmitted), case.first(RequestAdmitted)
    lengths = (begun.event.tokens, asked.event.tokens) if begun and asked else (0, 0)
    twins = _twins(case, made) if made.event.candidates > 1 or lengths[0] != lengths[1] else None
    if twins is None:
        return None
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    doubt, which = "the length of the prompts is not known", "nothing tells whether rightly"
    if all(lengths):
        doubt = "" if lengths[0] != lengths[1] else "the prompts are equally long"
        which = f"{p} computed {many(lengths[0], 'token')}, {d} has a prompt of {lengths[1]:,}"
    return case.blame(
        Cause.TWO_REQUESTS_ONE_ID,
        f"Several requests waited on {p} under one id, and it took the first: {which}.",
        f"Distrust the answer of {d}. {_REMEDY}",
        [case.saw(made, f"{p} matched the blocks."), twins],
        doubt=doubt,
    )


def crossed_with_a_twin(case: Case) -> Diagnosis | None:
    """The same for one that is not finished, where it is certain that it got the wrong blocks."""
    found = matched_a_twin(case) if case.has(MatchMade) else None
    return found if found is not None and found.confidence is Confidence.HIGH else None


def _twins(case: Case, made: Found[MatchMade]) -> Evidence | None:
    """That another request of this id was there at the match, or at the other one's."""
    if made.event.candidates > 1:
        return case.saw(made, f"{made.event.candidates} candidates had the same id.")
    half = case.transfer.producer
    for other in case.scene.alike(half.base) if half is not None else ():
        for told in other.producer.told.values() if other.producer is not None else ():
            if isinstance(told.event, MatchMade) and told.event.candidates > 1:
                text = f"{told.event.candidates} candidates had the same id at another match."
                return case.saw(case.found(told), text)
    return None
