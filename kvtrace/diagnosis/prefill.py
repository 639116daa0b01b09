"""Rules for prefills that never began, never end, or went on after the prompt."""

from collections.abc import Iterator

import msgspec

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis, Evidence
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.found import Found
from kvtrace.diagnosis.patience import COSTLY
from kvtrace.diagnosis.router import sent
from kvtrace.diagnosis.scene import Scene
from kvtrace.events import (
    BlocksReady,
    MatchMade,
    PrefillAdmitted,
    RegistrationNoticed,
    RegistrationSent,
    RequestAdmitted,
    RequestFinished,
    StepSampled,
    WritePosted,
)
from kvtrace.model import Role
from kvtrace.words import duration, many

SECOND = 1_000_000_000

MEANWHILE = SECOND
"""How much later another leg has to have come to the producer, to have overtaken this one."""

ENOUGH = 5
"""Prefills that an engine must have ended, to have a history of its own."""

FAR_LONGER = 10
"""Times the longest that the engine's own history lets one expect."""

SILENT = 30 * SECOND
"""Without the end of a step an engine with work does not step: it samples its steps each second."""

DECODED = 8
"""Tokens beyond the prompt; speculation and overlapped scheduling compute one or two."""


class Prefill(msgspec.Struct, frozen=True):
    """One that an engine told of."""

    admitted: Found[PrefillAdmitted]
    ready: int | None
    """When its blocks were computed; None while they are not."""

    @property
    def arrived(self) -> int:
        """When the producer took it in."""
        return self.admitted.at - self.admitted.event.queued


def prefill_never_came(case: Case) -> Diagnosis | None:
    """The producer was never asked, though it serves others that came later, or has no work."""
    if case.transfer.consumer is None or case.transfer.rivals:
        return None
    if case.has(PrefillAdmitted, BlocksReady, MatchMade, WritePosted, RequestFinished):
        return None
    name = case.engine_id(Role.PRODUCER)
    asked = case.first(RegistrationSent, RegistrationNoticed)
    if asked is None or case.scene.engine(name) is None or sent(case, Role.PRODUCER) is not None:
        return None
    why = _overtaken(case, name, asked.at) or _idle(case, name, asked.at)
    if why is None:
        return None
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    return case.blame(
        Cause.PREFILL_NEVER_CAME,
        f"{d} registered with {p} {case.ago(asked)} ago; {p} was never asked to prefill it.",
        f"Check in the router’s log that it sent {p}’s leg; let it cancel the request on {d} "
        "where it does not.",
        [
            case.saw(asked, f"{d} registered with {p}."),
            why,
            case.never("prefill.admitted", f"{p} was not asked to prefill it."),
        ],
    )


def _overtaken(case: Case, name: str, asked: int) -> Evidence | None:
    """One that came later was begun: a queue would have let this one go first."""
    last = case.scene.once("last prefill", name, lambda: _last_to_come(case.scene, name))
    if last is None or last.arrived < asked + MEANWHILE:
        return None
    later = duration(last.arrived - asked)
    return case.saw(last.admitted, f"It began another prefill, which came {later} later.")


def _idle(case: Case, name: str, asked: int) -> Evidence | None:
    """It has no work, so that nothing can be queued there."""
    if case.scene.once("prefills at work", name, lambda: _at_work(case.scene, name)):
        return None
    for step in case.scene.notices(name, StepSampled):
        if step.event.forwards and step.at - step.event.window > asked:
            return None
    p = case.called(Role.PRODUCER)
    return case.never("step.sampled", f"{p} has computed nothing since: nothing waits there.")


def prefill_never_finishes(case: Case) -> Diagnosis | None:
    """The prefill began, and takes far longer than this engine ever took, or steps no more."""
    if case.over is not None or case.has(BlocksReady, MatchMade, WritePosted):
        return None
    begun = case.first(PrefillAdmitted)
    if begun is None:
        return None
    why = _stands_still(case, begun) or _far_longer(case, begun)
    if why is None:
        return None
    p = case.called(Role.PRODUCER)
    ended = any(one.ready for one in _prefills(case.scene, case.engine_id(Role.PRODUCER)))
    return case.blame(
        Cause.PREFILL_NEVER_FINISHES,
        f"{p} began the prefill of {many(begun.event.tokens, 'token')} {case.ago(begun)} ago, "
        "and has not ended it.",
        f"Look where {p}’s engine core and workers stand (`py-spy dump`), and restart it; check "
        "that the router asks P’s leg for one token.",
        [
            case.saw(begun, "The prefill began."),
            why,
            case.never("blocks.ready", "Its blocks never became ready."),
        ],
        doubt="" if ended else f"it is the first prefill of {p} that we know of",
    )


def _stands_still(case: Case, begun: Found[PrefillAdmitted]) -> Evidence | None:
    """No step has ended for long, though there is work."""
    name = case.engine_id(Role.PRODUCER)
    steps = case.scene.notices(name, StepSampled)
    if not steps or case.scene.lossy(name):
        return None
    last = max(steps, key=lambda one: one.at)
    longest = max(one.event.longest for one in steps)
    if case.now - max(last.at, begun.at) < max(SILENT, FAR_LONGER * longest):
        return None
    return case.saw(last, f"Its last step was told of {case.ago(last)} ago.")


def _far_longer(case: Case, begun: Found[PrefillAdmitted]) -> Evidence | None:
    """Others took far less, token for token."""
    name = case.engine_id(Role.PRODUCER)
    ended = [one for one in _prefills(case.scene, name) if one.ready is not None]
    if len(ended) < ENOUGH:
        return None
    longest = max((one.ready or 0) - one.admitted.at for one in ended)
    slowest = max(
        ((one.ready or 0) - one.admitted.at) / max(1, one.admitted.event.tokens) for one in ended
    )
    expected = max(longest, round(slowest * begun.event.tokens))
    if case.now - begun.at < FAR_LONGER * expected + SILENT:
        return None
    text = f"The longest of the {len(ended)} that it ended last took {duration(longest)}."
    return Evidence(text=text, event="blocks.ready", at=max(one.ready or 0 for one in ended))


def prefill_decoded_on(case: Case) -> Diagnosis | None:
    """The producer computed more than the prompt before it gave its blocks."""
    ready, begun = case.first(BlocksReady), case.first(PrefillAdmitted)
    if ready is None or begun is None or not begun.event.tokens:
        return None
    beyond = ready.event.computed - begun.event.tokens
    if beyond < DECODED or ready.at - begun.at < COSTLY:
        return None
    asked = case.first(RequestAdmitted)
    evidence = [
        case.saw(begun, f"The prompt has {many(begun.event.tokens, 'token')}."),
        case.saw(ready, f"The request ended with {many(ready.event.computed, 'token')} computed."),
    ]
    if asked is not None and asked.at < ready.at:
        evidence.append(case.saw(asked, f"{case.called(Role.CONSUMER)} waited for it."))
    p = case.called(Role.PRODUCER)
    return case.blame(
        Cause.PREFILL_DECODED_ON,
        f"{p} decoded {many(beyond, 'token')} after the prompt before its blocks were ready; it "
        f"took {duration(ready.at - begun.at)}.",
        f"Let the router set `max_tokens` to 1 on {p}’s leg, and `min_tokens` to no more.",
        evidence,
    )


def _prefills(scene: Scene, engine: str) -> tuple[Prefill, ...]:
    """Those in flight on an engine, and the last that ended."""
    return scene.once("prefills", engine, lambda: tuple(_every_prefill(scene, engine)))


def _every_prefill(scene: Scene, engine: str) -> Iterator[Prefill]:
    for transfer in scene.known_on(engine, Role.PRODUCER):
        begun = ready = None
        for told in transfer.producer.told.values() if transfer.producer is not None else ():
            if isinstance(told.event, PrefillAdmitted):
                begun = told
            elif isinstance(told.event, BlocksReady):
                ready = told
        if begun is not None:
            ended = None if ready is None else scene.clocks.instant(ready.mark)
            yield Prefill(Found.of(begun, scene.clocks), ended)


def _last_to_come(scene: Scene, engine: str) -> Prefill | None:
    return max(_prefills(scene, engine), key=lambda one: one.arrived, default=None)


def _at_work(scene: Scene, engine: str) -> bool:
    return any(one.ready is None for one in _prefills(scene, engine))
