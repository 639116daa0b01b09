"""Rule for a producer that stands still while NIXL takes one write."""

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
    every = scene.known_on(place.engine, Role.PRODUCER)
    halves = (one.producer for one in every if one.producer is not None)
    return [told for half in halves for told in half.told.values() if told.place == place]
