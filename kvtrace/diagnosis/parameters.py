"""Rules for what the router told the consumer of the producer: too little, wrong, or nothing."""

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis, Evidence
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.found import Found
from kvtrace.diagnosis.router import answered_badly, answered_well, sent
from kvtrace.events import (
    BlocksReady,
    HandshakeStarted,
    LoadDecided,
    RegistrationNoticed,
    RegistrationSent,
    RegistrationSkipped,
    RegistrationStaged,
    RequestAdmitted,
)
from kvtrace.model import Role
from kvtrace.words import clean, many

SECOND = 1_000_000_000

SOON = 2 * SECOND
"""Nanoseconds in which a consumer's scheduler knows of a leg that was sent to it."""

ITSELF = 256
"""Tokens that a consumer computed though they were to come, to be worth a word: the last block of
a prompt, and what its cache did not cover, it always computes."""


def parameters_missing(case: Case) -> Diagnosis | None:
    """The router left out what the consumer needs to register, and its engine core dies of it."""
    if case.has(RegistrationSent, HandshakeStarted) or not case.has(RequestAdmitted):
        return None
    asked = next((one for one in case.all(RequestAdmitted) if one.event.missing), None)
    if asked is None:
        return None
    d = case.called(Role.CONSUMER)
    names = ", ".join(f"`{clean(name)}`" for name in asked.event.missing)
    died = case.scene.state(case.engine_id(Role.CONSUMER)) == "died"
    follows = f"{d}’s engine died on it" if died else f"{d} cannot register without"
    shown = [case.saw(asked, f"{d} was told everything but {names}.")]
    if died:
        shown.append(Evidence(text=f"A process of {d} is gone without a goodbye."))
    else:
        shown.append(case.never("registration.sent", f"{d} sent no registration."))
    return case.blame(
        Cause.PARAMETERS_MISSING,
        f"The router told {d} no {names} of the producer; {follows}.",
        f"Let the router send all that P answers in `kv_transfer_params`, {names} among them, and "
        f"refuse the request where it has not got them.",
        shown,
    )


def ranks_told_wrong(case: Case) -> Diagnosis | None:
    """The consumer was told of fewer of the producer's ranks than there are."""
    if not _some_left_out(case):
        return None
    known = case.scene.settings(case.engine_id(Role.PRODUCER))
    asked = case.first(RequestAdmitted)
    if known is None or asked is None:
        return None
    if 0 < asked.event.tp_size < known.tp_size:
        return _wrong(case, asked, ("tp_size", str(asked.event.tp_size), str(known.tp_size)))
    return stages_left_out(case)


def stages_left_out(case: Case) -> Diagnosis | None:
    """Some of the producer's pipeline stages were not told where to write."""
    if not _some_left_out(case):
        return None
    known = case.scene.settings(case.engine_id(Role.PRODUCER))
    first = case.first(RegistrationSent)
    if known is None or known.pp_size <= 1 or first is None:
        return None
    stages = {one.event.peer_rank // max(1, known.tp_size) for one in case.all(RegistrationSent)}
    if len(stages) >= known.pp_size:
        return None
    return _wrong(case, first, ("pp_size", str(len(stages)), str(known.pp_size)))


def _some_left_out(case: Case) -> bool:
    """Whether the consumer registered with fewer ranks than the producer has."""
    half = case.transfer.producer
    if half is None or half.ranks < 2 or not case.has(RegistrationSent):
        return False
    return len({one.event.peer_rank for one in case.all(RegistrationSent)}) < half.ranks


def _wrong(
    case: Case, found: Found[RequestAdmitted] | Found[RegistrationSent], told: tuple[str, str, str]
) -> Diagnosis:
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    name, said, true = told
    ranks = len({one.event.peer_rank for one in case.all(RegistrationSent)})
    what = "first token on" if name == "pp_size" else "answer"
    waits = f"distrust its {what}" if case.over is not None else "the others never write"
    return case.blame(
        Cause.RANKS_TOLD_WRONG,
        f"{d} was told of {name} {said}, {p} has {true}; it registered with {ranks} of {p}’s "
        f"ranks: {waits}.",
        f"Let the router pass on {name} as {p} answers it ({true}).",
        [
            case.saw(found, f"{d} acted on {name} {said}."),
            Evidence(text=f"{p} has {name} {true}.", event="process.started"),
            case.never("registration.sent", f"{p}’s other ranks were not told where to write."),
        ],
    )


def consumer_was_not_told(case: Case) -> Diagnosis | None:
    """The consumer got its leg without word of the producer, and prefilled by itself."""
    if case.transfer.consumer is not None or case.has(RegistrationNoticed):
        return None
    ready = case.first(BlocksReady)
    if ready is None or not ready.event.held or not case.scene.hears(Role.CONSUMER):
        return None
    leg = sent(case, Role.CONSUMER)
    if leg is None or case.now - leg.at < SOON or answered_badly(case, Role.CONSUMER) is not None:
        return None
    answered = answered_well(case, Role.CONSUMER)
    p = case.called(Role.PRODUCER)
    shown = [
        case.saw(leg, "The router sent D’s leg."),
        case.saw(ready, f"{p} holds the blocks."),
        case.never("request.admitted", "No D was told of a producer for this request."),
    ]
    if answered is not None:
        shown.insert(1, case.saw(answered, "D answered it with success."))
    return case.blame(
        Cause.CONSUMER_PREFILLED_ITSELF,
        f"D got the router’s leg {case.ago(leg)} ago without transfer parameters, and computed the "
        f"prompt by itself; {p}’s blocks are for nobody.",
        "Let the router put `kv_transfer_params` with `do_remote_prefill` into D’s leg, on a route "
        "that takes them.",
        shown,
        doubt="" if answered is not None else "the router has not told how D’s leg ended",
    )


def consumer_took_nothing(case: Case) -> Diagnosis | None:
    """The consumer knew of the producer, and decided to take nothing from it."""
    if case.has(RegistrationStaged) or not case.has(LoadDecided):
        return None
    asked, decided = case.first(RequestAdmitted), case.last(LoadDecided)
    if asked is None or decided is None or decided.event.tokens > 0:
        return None
    itself = asked.event.tokens - decided.event.computed
    if itself < ITSELF:
        return None
    skipped = case.first(RegistrationSkipped)
    d, p = case.called(Role.CONSUMER), case.called(Role.PRODUCER)
    return case.blame(
        Cause.CONSUMER_PREFILLED_ITSELF,
        f"{d} decided to take 0 of {many(asked.event.tokens, 'token')} from {p}; it had "
        f"{decided.event.computed:,} in its cache, and computed {itself:,} by itself.",
        f"Check what the router told {d} of the request, and that both legs have the same prompt.",
        [
            case.saw(asked, f"{d} learned of the request."),
            case.saw(decided, "It decided to wait for no tokens."),
            *([case.saw(skipped, "It had nothing to register.")] if skipped is not None else []),
        ],
    )
