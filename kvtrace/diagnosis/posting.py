"""Rules for a rank that has to act and stands still: while NIXL takes one write, or just so."""

from typing import TypeAlias

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.found import Found
from kvtrace.diagnosis.scene import Scene
from kvtrace.events import MatchMade, WritePosted, WriterFailed, WriteStarted
from kvtrace.model import Place, Role
from kvtrace.transfer import Told
from kvtrace.words import duration

STOOD = 2_000_000_000
"""Nanoseconds for which a rank says nothing at all before it is said to stand still."""

_Open: TypeAlias = tuple[Found[MatchMade], int]
"""A match whose write is not posted, and when the rank told of anything last."""


def writer_posts(case: Case) -> Diagnosis | None:
    """The rank that must act is in the post of one write, and nothing else goes on there."""
    place = case.trouble.waits_for
    if case.over is not None or place is None or place.role is not Role.PRODUCER or place.rank < 0:
        return None
    scene = case.scene
    found = scene.once(f"open post of {place.rank}", place.engine, lambda: _open_post(scene, place))
    if found is None or scene.state(place.engine) != "alive":
        return None
    met, last = found
    if case.now - last < STOOD:
        return None
    where, whose = case.place(place), _whose(case, met)
    return case.blame(
        Cause.WRITER_STARVED,
        f"{where} has been posting {whose} for {duration(case.now - met.at)}, and does nothing "
        "else: neither steps nor rounds of its writer.",
        f"Upgrade NIXL on {where}, which then lets go of Python’s lock while it posts; give its "
        f"process a spare core, and restart it if it stays away.",
        [
            case.saw(met, f"The writer began to post {whose}."),
            case.never("write.posted", f"{where} told of nothing since.", place),
        ],
    )


def rank_stands_still(case: Case) -> Diagnosis | None:
    """The rank that must act told of steps, and tells of nothing at all any more."""
    place = case.trouble.waits_for
    if case.over is not None or place is None or place.rank < 0:
        return None
    scene = case.scene
    samples = scene.samples(place.engine, place.rank)
    if not samples or scene.state(place.engine) != "alive":
        return None
    newest = max(samples, key=lambda one: one.at)
    told = (scene.clocks.instant(one.mark) for one in _told_by(scene, place))
    last = max(newest.at, *told)
    if case.now - last < STOOD:
        return None
    where = case.place(place)
    return case.blame(
        Cause.WAITS_FOR_ENGINE_STEPS,
        f"{where} has told of nothing for {duration(case.now - last)}, neither steps nor writes: "
        "it is in one long step, or takes none.",
        f"See what {where} does: `py-spy dump --native --pid` of its process says where it stands, "
        "`/proc/PID/stack` whether in the kernel. Lower `max_num_batched_tokens` there if it is "
        "the model.",
        [
            case.saw(newest, "The last steps that were told of."),
            case.never("step.sampled", f"{where} told of no steps since.", place),
        ],
        doubt="a long step and none at all look the same from here",
    )


def _whose(case: Case, met: Found[MatchMade]) -> str:
    return (
        "this write"
        if any(one.told is met.told for one in case.all(MatchMade))
        else "the write of another request"
    )


def _open_post(scene: Scene, place: Place) -> _Open | None:
    """The rank's last match, if it did not get beyond it; None where it said anything lately, or
    where nobody samples its steps."""
    samples = [one.at for one in scene.samples(place.engine, place.rank)]
    if not samples or scene.now - max(samples) < STOOD:
        return None
    told = _told_by(scene, place)
    matches = [one for one in told if isinstance(one.event, MatchMade)]
    if not matches:
        return None
    met = Found.of(max(matches, key=lambda one: scene.clocks.instant(one.mark)), scene.clocks)
    beyond = [one for one in told if isinstance(one.event, WritePosted | WriteStarted)]
    beyond += [one.told for one in scene.notices(place.engine, WriterFailed)]
    if any(one.place == place and scene.clocks.instant(one.mark) >= met.at for one in beyond):
        return None
    return met, max(*samples, *(scene.clocks.instant(one.mark) for one in told))


def _told_by(scene: Scene, place: Place) -> list[Told]:
    every = scene.known_on(place.engine, place.role)
    ours = ((one.producer if place.role is Role.PRODUCER else one.consumer) for one in every)
    halves = (half for half in ours if half is not None)
    return [told for half in halves for told in half.told.values() if told.place == place]
