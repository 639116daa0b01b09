"""A rule for a consumer that computes what nobody's blocks came for, as its steps tell."""

from collections.abc import Iterator

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.found import Found
from kvtrace.diagnosis.scene import Scene
from kvtrace.events import (
    BlocksReady,
    PrefillAdmitted,
    ReceiveFailed,
    RegistrationNoticed,
    RegistrationSkipped,
    RequestFinished,
    RequestResumed,
    StepSampled,
)
from kvtrace.model import Role
from kvtrace.transfer import Transfer
from kvtrace.words import many

SECOND = 1_000_000_000

TOGETHER = 5 * SECOND
"""Nanoseconds after the blocks were ready until which the consumer's leg has come."""


def consumer_computed_alone(case: Case) -> Diagnosis | None:
    """Just when the blocks became ready a consumer ran its model, with no transfer at work."""
    ready = case.first(BlocksReady)
    if ready is None or not ready.event.held or case.transfer.consumer is not None:
        return None
    if case.has(RegistrationNoticed) or case.transfer.rivals:
        return None
    begun = case.first(PrefillAdmitted)
    if begun is None:
        return None
    half = case.transfer.producer
    if half is None or any(one.consumer is not None for one in case.scene.alike(half.base)):
        return None
    for name in case.scene.in_role(Role.CONSUMER):
        steps = _alone(case.scene, name)
        if not any(one.at < begun.at for one in case.scene.notices(name, StepSampled)):
            # What it was at before we listened is not known.
            continue
        came = [one for one in steps if _overlap(one, begun.at, ready.at + TOGETHER)]
        if came and not any(one.at < begun.at for one in steps):
            return _blame(case, name, ready, came[0])
    return None


def _blame(case: Case, name: str, ready: Found[BlocksReady], step: Found[StepSampled]) -> Diagnosis:
    p, d = case.called(Role.PRODUCER), case.scene.called(name)
    return case.blame(
        Cause.CONSUMER_PREFILLED_ITSELF,
        f"{p} holds the blocks and no D was told of them; {d} ran its model "
        f"{many(step.event.forwards, 'time')} meanwhile, for none of the requests with a producer.",
        f"Let the router put `kv_transfer_params` with `do_remote_prefill` into {d}’s leg, on a "
        "route that takes them.",
        [
            case.saw(ready, f"The blocks became ready on {p}."),
            case.saw(step, f"{d} ran its model {many(step.event.forwards, 'time')}."),
            case.never("request.admitted", "No D was told of a producer for this request."),
        ],
        doubt=f"which request {d} computed is not told",
    )


def _alone(scene: Scene, engine: str) -> tuple[Found[StepSampled], ...]:
    """The engine's steps in whose window no request of a transfer can have computed."""
    return scene.once("alone", engine, lambda: tuple(_steps_alone(scene, engine)))


def _steps_alone(scene: Scene, engine: str) -> Iterator[Found[StepSampled]]:
    every = scene.known_on(engine, Role.CONSUMER)
    computing = [spell for one in every if (spell := _computing(scene, one)) is not None]
    for step in scene.notices(engine, StepSampled):
        if step.event.forwards and not any(_overlap(step, *spell) for spell in computing):
            yield step


def _computing(scene: Scene, transfer: Transfer) -> tuple[int, int] | None:
    """From when to when the consumer's request itself was computed; None where it was not."""
    half = transfer.consumer
    told = half.told.values() if half is not None else ()
    began = [scene.clocks.instant(one.mark) for one in told if type(one.event) in _GOES_ON]
    if not began:
        return None
    ended = [scene.clocks.instant(one.mark) for one in told if type(one.event) is RequestFinished]
    return min(began), max(ended, default=scene.now)


def _overlap(step: Found[StepSampled], began: int, ended: int) -> bool:
    return step.at >= began and step.at - step.event.window <= ended


_GOES_ON = frozenset((RequestResumed, RegistrationSkipped, ReceiveFailed))
"""From when on a request that was told of a producer computes."""
