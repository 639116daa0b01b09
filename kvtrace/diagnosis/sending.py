"""Rules for a registration that was not sent, or was sent and never noticed."""

from itertools import pairwise

import msgspec

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis, Evidence
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.found import Found
from kvtrace.diagnosis.scene import Scene
from kvtrace.events import (
    MatchMade,
    RegistrationNoticed,
    RegistrationSendFailed,
    RegistrationSent,
    WritePosted,
)
from kvtrace.model import Role
from kvtrace.transfer import Transfer
from kvtrace.words import clean, duration, many

SECOND = 1_000_000_000

MEANWHILE = 2 * SECOND
"""Nanoseconds after which a producer that takes in its messages has this one too."""


def registration_not_sent(case: Case) -> Diagnosis | None:
    """A consumer's rank could not send the registration, and does not try again."""
    if not case.has(RegistrationSendFailed):
        return None
    sent = {(one.place.rank, one.event.peer_rank) for one in case.all(RegistrationSent)}
    failed = [
        one
        for one in case.all(RegistrationSendFailed)
        if (one.place.rank, one.event.peer_rank) not in sent
    ]
    if not failed or case.scene.state(case.engine_id(Role.PRODUCER)) in ("died", "ended"):
        return None
    first = failed[0]
    d, p = case.called(Role.CONSUMER), case.called(Role.PRODUCER)
    error = clean(first.event.error) or "an error"
    rank = f" rank {first.event.peer_rank}" if first.event.peer_rank >= 0 else ""
    others = f" (so did {many(len(failed) - 1, 'other')})" if len(failed) > 1 else ""
    return case.blame(
        Cause.REGISTRATION_NOT_SENT,
        f"{case.place(first.place)} could not send the registration to {p}{rank}: {error}{others}; "
        f"{d} does not try again, and waits.",
        f"Let the router cancel the request on {d} and send it anew; restart {d} if its "
        f"registrations to {p} go on failing.",
        [
            case.saw(one, f"It was not sent: {clean(one.event.error) or error}.")
            for one in failed[:4]
        ],
    )


def unnoticed(case: Case) -> list[Found[RegistrationSent]]:
    """What was sent to ranks that noticed no registration, nor did what comes after that."""
    if not case.has(RegistrationSent):
        return []
    told = case.all(RegistrationNoticed, MatchMade, WritePosted)
    noticed = {one.place.rank for one in told}
    return [one for one in case.all(RegistrationSent) if one.event.peer_rank not in noticed]


def registration_lost(case: Case) -> Diagnosis | None:
    """The registration was sent, and the producer took in its messages since without it."""
    for sent in unnoticed(case):
        if case.now - sent.at < MEANWHILE:
            return None
        since = _took_in_others(case, sent) or _looked_since(case, sent)
        if since is not None:
            return _lost(case, sent, since)
    return None


def _lost(case: Case, sent: Found[RegistrationSent], since: Evidence) -> Diagnosis:
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    there = f"{p} rank {sent.event.peer_rank}"
    return case.blame(
        Cause.REGISTRATION_LOST,
        f"{case.place(sent.place)} sent the registration to {there} {case.ago(sent)} ago; {there} "
        "lives, takes in its messages, and never noticed it.",
        f"Let the router cancel the request on {d} and send it anew; restart {p} or {d} if it "
        "happens between the two again, and compare their NIXL and UCX releases.",
        [
            case.saw(sent, f"It was sent to {there}."),
            since,
            case.never("registration.noticed", f"{there} never noticed it."),
        ],
    )


def _took_in_others(case: Case, sent: Found[RegistrationSent]) -> Evidence | None:
    """In a round that began long after this one was sent, the rank's writer came to a registration
    that was sent later still. Of one sender NIXL brings messages in their order."""
    for before, found in pairwise(rounds(case, sent.event.peer_rank)):
        if before.last.at > sent.at + MEANWHILE and found.sent > sent.at:
            later = duration(found.first.at - sent.at)
            return case.saw(found.first, f"It noticed another registration {later} later.")
    return None


class Round(msgspec.Struct, frozen=True):
    """One round of a writer, in which it takes in messages once, and comes to each in turn.

    That takes seconds on a busy machine; all that it comes to say the same gap to the round before.
    """

    first: Found[RegistrationNoticed]
    last: Found[RegistrationNoticed]
    count: int
    """Registrations that it came to."""

    sent: int
    """When the latest of them was sent, as far as its sender told; else 0."""


def rounds(case: Case, rank: int) -> list[Round]:
    """Those of the rank's writer in which it came to a registration that is known, in order."""
    name = case.engine_id(Role.PRODUCER)
    return case.scene.once("rounds", name, lambda: _rounds(case.scene, name)).get(rank, [])


def _rounds(scene: Scene, engine: str) -> dict[int, list[Round]]:
    every = scene.known_on(engine, Role.PRODUCER)
    told = [one for transfer in every for one in _noticed_of(scene, transfer)]
    found: dict[int, list[Round]] = {}
    for one, sent in sorted(told, key=lambda notice: notice[0].at):
        mine = found.setdefault(one.place.rank, [])
        if mine and mine[-1].last.event.gap == one.event.gap:
            known = mine[-1]
            mine[-1] = Round(known.first, one, known.count + 1, max(known.sent, sent))
        else:
            mine.append(Round(one, one, 1, sent))
    return found


def _noticed_of(scene: Scene, transfer: Transfer) -> list[tuple[Found[RegistrationNoticed], int]]:
    """Each with when it was sent, as far as its sender told; else 0."""
    told = transfer.producer.told.values() if transfer.producer is not None else ()
    theirs = transfer.consumer.told.values() if transfer.consumer is not None else ()
    sent = {
        one.event.peer_rank: scene.clocks.instant(one.mark)
        for one in theirs
        if isinstance(one.event, RegistrationSent)
    }
    return [
        (Found.of(one, scene.clocks), sent.get(one.place.rank, 0))
        for one in told
        if isinstance(one.event, RegistrationNoticed)
    ]


def _looked_since(case: Case, sent: Found[RegistrationSent]) -> Evidence | None:
    """The rank's writer went its round, in which it takes in all messages, in a later window."""
    name = case.engine_id(Role.PRODUCER)
    if case.scene.state(name) != "alive":
        return None
    for step in case.scene.samples(name, sent.event.peer_rank):
        if step.event.loops > 1 and step.at - step.event.window > sent.at + MEANWHILE:
            return case.saw(step, f"Its writer looked {many(step.event.loops, 'time')} since.")
    return None
