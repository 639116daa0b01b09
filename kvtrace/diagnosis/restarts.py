"""Rules for an engine that was started anew under its old id, which its peer goes on to use."""

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis, Evidence
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.found import Found
from kvtrace.diagnosis.scene import Scene
from kvtrace.events import (
    Event,
    HandshakeFinished,
    RegistrationNoticed,
    RegistrationSendFailed,
    RegistrationSent,
    WriteFailed,
    WriteFinished,
    WritePosted,
    WriteStarted,
)
from kvtrace.model import SCHEDULER, Place, Role
from kvtrace.origins import Origin
from kvtrace.words import duration


def peer_restarted(case: Case) -> Diagnosis | None:
    """One side reaches out to what the other was before its restart."""
    if case.has(RegistrationSent, RegistrationSendFailed) and not case.has(RegistrationNoticed):
        found = _restarted(case, Role.PRODUCER)
        if found is not None:
            return found
    if case.has(WritePosted, WriteFailed, WriteStarted) and not case.has(WriteFinished):
        return _restarted(case, Role.CONSUMER)
    return None


def _restarted(case: Case, peer: Role) -> Diagnosis | None:
    """That this side was started anew, and the other did not shake hands with it since."""
    name = case.engine_id(peer)
    now = case.scene.once("started anew", name, lambda: _started_anew(case.scene, name))
    if now is None:
        return None
    began = case.scene.clocks.instant(now.began)
    reached = _reached_out(case, peer)
    if reached is None or reached.at < began:
        return None
    shaken = [
        one
        for one in case.scene.notices(case.engine_id(peer.peer), HandshakeFinished)
        if one.event.peer == name and one.place.rank == reached.place.rank
    ]
    last = max(shaken, key=lambda one: one.at, default=None)
    if last is not None and last.at > began:
        return None
    return _blame(case, peer, (began, now), (reached, last))


def _blame(
    case: Case,
    peer: Role,
    restart: tuple[int, Origin],
    words: tuple[Found[Event], Found[HandshakeFinished] | None],
) -> Diagnosis:
    (began, now), (reached, last) = restart, words
    anew, other = case.called(peer), case.called(peer.peer)
    ago = duration(max(0, case.now - began))
    place = Place(case.engine_id(peer), peer, now.rank)
    shown = [
        Evidence(text=f"{anew} was started anew.", event="process.started", at=began, place=place)
    ]
    if last is not None:
        shown.insert(0, case.saw(last, f"{other} had reached it before that."))
    does = "writes to" if peer is Role.CONSUMER else "registers with"
    return case.blame(
        Cause.PEER_RESTARTED,
        f"{anew} was started anew {ago} ago under its old id; {case.place(reached.place)} still "
        f"{does} the old one.",
        f"Give each start of {anew} an engine id of its own (leave `engine_id` out of "
        f"`--kv-transfer-config`); restart {other} now.",
        [
            *shown,
            case.saw(reached, f"{other} reached out to it afterwards."),
            case.never("handshake.finished", f"{other} has not shaken hands with it since."),
        ],
    )


def _reached_out(case: Case, peer: Role) -> Found[Event] | None:
    """The first word to that side."""
    if peer is Role.PRODUCER:
        return case.first(RegistrationSent, RegistrationSendFailed)
    return case.first(WritePosted, WriteFailed, WriteStarted)


def _started_anew(scene: Scene, engine: str) -> Origin | None:
    """The newest process that took the place of one that is gone; None where none did."""
    known = scene.engine(engine)
    if known is None or not known.replaced:
        return None
    ranks = {one.rank for one in known.replaced}
    anew = [one for one in known.origins if one.rank in ranks and not one.gone]
    workers = [one for one in anew if one.rank != SCHEDULER] or anew
    return max(workers, key=lambda one: scene.clocks.instant(one.began), default=None)
