"""Rules for the two legs that a router sends: other ids on each, or one after the other."""

from collections.abc import Iterator
from itertools import islice
from typing import TypeVar

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.found import Found
from kvtrace.diagnosis.patience import COSTLY
from kvtrace.diagnosis.router import sent
from kvtrace.diagnosis.scene import Scene
from kvtrace.events import (
    BlocksReady,
    Event,
    MatchMade,
    PrefillAdmitted,
    RegistrationSent,
    RequestAdmitted,
    RequestFinished,
    StepSampled,
    WritePosted,
)
from kvtrace.identity import routers_ids
from kvtrace.model import Role
from kvtrace.split import Part
from kvtrace.transfer import Half
from kvtrace.words import clean, duration

E = TypeVar("E", bound=Event)

SECOND = 1_000_000_000

TOGETHER = 2 * SECOND
"""Two legs of one request reach their engines no further apart, where their ids do not tell."""

UNMET = 64
"""Halves without a counterpart that are looked at on one link, the newest."""

HIDDEN = (Part.ADMISSION, Part.CONSUMER_STEPS, Part.TRANSIT)
"""What goes on beside the prefill where both legs are sent at once."""


def legs_differ_in_id(case: Case) -> Diagnosis | None:
    """Blocks and a registration wait on one producer, and are one request by all but the id."""
    if case.has(MatchMade, WritePosted) or case.transfer.rivals:
        return None
    producer, consumer = case.transfer.producer, case.transfer.consumer
    name = case.engine_id(Role.PRODUCER)
    if not name:
        return None
    if consumer is not None and not case.has(PrefillAdmitted, BlocksReady):
        pairs = [(half, consumer) for half in _holding(case.scene, name)]
    elif consumer is None and producer is not None and case.has(BlocksReady):
        pairs = [(producer, half) for half in _asking(case.scene, name)]
    else:
        return None
    for mine, theirs in pairs:
        if _alike(case.scene, mine, theirs):
            return _differ(case, mine, theirs)
    return None


def _differ(case: Case, mine: Half, theirs: Half) -> Diagnosis | None:
    ready, asked = (
        _first(case.scene, mine, BlocksReady),
        _first(case.scene, theirs, RegistrationSent),
    )
    if ready is None or asked is None:
        return None
    p, d = case.scene.called(mine.engine), case.scene.called(theirs.engine)
    return case.blame(
        Cause.LEGS_DIFFER_IN_ID,
        f"{p} holds blocks of {clean(mine.base)}, {d} asked it for {clean(theirs.base)}: "
        "two legs of one request that share no id.",
        "Let the router send the same `X-Request-Id` on both legs, and both to the same route.",
        [
            case.saw(ready, f"The blocks of {clean(mine.base)} became ready on {p}."),
            case.saw(asked, f"{d} registered {clean(theirs.base)} with {p}."),
            case.never("match.made", f"{p} matched neither."),
        ],
        doubt="" if _same_id(mine, theirs) else "only the prompts’ length and the time are alike",
    )


def _alike(scene: Scene, mine: Half, theirs: Half) -> bool:
    """Whether they are one request: by the router's id, else by length and time."""
    if mine.base == theirs.base:
        return False
    if _same_id(mine, theirs):
        return True
    begun, asked = _first(scene, mine, PrefillAdmitted), _first(scene, theirs, RequestAdmitted)
    if begun is None or asked is None or not begun.event.tokens:
        return False
    came = begun.at - begun.event.queued
    return begun.event.tokens == asked.event.tokens and abs(came - asked.at) < TOGETHER


def _same_id(mine: Half, theirs: Half) -> bool:
    """Whether a router called both by one id, or told the consumer of the producer's."""
    named = {
        one.event.remote_request
        for one in theirs.told.values()
        if isinstance(one.event, RequestAdmitted)
    }
    known = routers_ids(theirs.request).union(*map(routers_ids, named))
    return not known.isdisjoint(routers_ids(mine.request) - {""})


def _holding(scene: Scene, engine: str) -> tuple[Half, ...]:
    """Those whose blocks are ready on this producer, and that no consumer came for."""
    unmet = _unmet_blocks(scene, engine)
    return scene.once("unmet blocks", engine, lambda: tuple(islice(unmet, UNMET)))


def _unmet_blocks(scene: Scene, engine: str) -> Iterator[Half]:
    every = (*reversed(scene.on(engine, Role.PRODUCER)), *scene.ended_on(engine, Role.PRODUCER))
    for transfer in every:
        half = transfer.producer
        if transfer.consumer is None and half is not None and not transfer.rivals:
            told = [one.event for one in half.told.values()]
            held = any(isinstance(one, BlocksReady) and one.held for one in told)
            if held and not any(isinstance(one, MatchMade) for one in told):
                yield half


def _asking(scene: Scene, engine: str) -> tuple[Half, ...]:
    """Those that registered with this producer, which was never asked to prefill them."""
    unmet = _unmet_asks(scene, engine)
    return scene.once("unmet asks", engine, lambda: tuple(islice(unmet, UNMET)))


def _unmet_asks(scene: Scene, engine: str) -> Iterator[Half]:
    for transfer in reversed(scene.in_flight()):
        half, theirs = transfer.consumer, transfer.producer
        if half is None or transfer.rivals or (theirs is not None and theirs.engine != engine):
            continue
        if theirs is not None and any(one.event.request for one in theirs.told.values()):
            continue
        told = [one.event for one in half.told.values()]
        if any(isinstance(one, RequestFinished) for one in told):
            continue
        if any(isinstance(one, RegistrationSent) and one.producer == engine for one in told):
            yield half


def _first(scene: Scene, half: Half, kind: type[E]) -> Found[E] | None:
    told = (one for one in half.told.values() if isinstance(one.event, kind))
    found = (Found.of(one, scene.clocks) for one in told)
    return min(found, key=lambda one: one.at, default=None)


def legs_in_sequence(case: Case) -> Diagnosis | None:
    """The consumer learned of the request when the blocks were ready, and time was lost by it."""
    split = case.shares
    ready, asked = case.first(BlocksReady), case.first(RequestAdmitted)
    begun = case.first(PrefillAdmitted)
    if split is None or split.error is None or ready is None or asked is None or begun is None:
        return None
    late = asked.at - ready.at - split.error
    hidden = min(split.of(*HIDDEN), ready.at - begun.at)
    if late < 0 or late + hidden < COSTLY or 2 * (late + hidden) < split.handoff + late:
        return None
    doubt = _in_sequence(case, ready, asked)
    if doubt is None:
        return None
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    return case.blame(
        Cause.LEGS_IN_SEQUENCE,
        f"{d} heard of the request {duration(asked.at - ready.at)} after {p}’s blocks were ready; "
        f"sent together, the two legs would have saved {duration(late + hidden)}.",
        f"Let the router send {d}’s leg together with {p}’s, without waiting for {p}’s answer.",
        [
            case.saw(ready, f"The blocks became ready on {p}."),
            case.saw(asked, f"{d} learned of the request."),
        ],
        doubt=doubt,
    )


def _in_sequence(
    case: Case, ready: Found[BlocksReady], asked: Found[RequestAdmitted]
) -> str | None:
    """What speaks against the router's having waited; None where something else held it up."""
    leg = sent(case, Role.CONSUMER)
    if leg is not None:
        return "" if leg.at > ready.at else None
    half = case.transfer.producer
    if half is not None and asked.event.remote_request == half.request:
        return ""
    sent_in = max((one.event.took for one in case.all(RegistrationSent)), default=0)
    for step in case.scene.notices(case.engine_id(Role.CONSUMER), StepSampled):
        began = step.at - step.event.window
        # A step in which it sent the registration came when it knew of the request.
        longest = step.event.longest - (sent_in if sent_in < step.event.longest else 0)
        if began < asked.at and step.at > ready.at and 4 * longest > asked.at - ready.at:
            return None
    d = case.called(Role.CONSUMER)
    return f"no router tells when it sent the leg: {d}’s front end can have kept it"
