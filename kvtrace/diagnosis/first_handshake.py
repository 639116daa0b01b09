"""Rules for the time that the first handshake between two engines takes, and waits."""

from collections.abc import Iterator

import msgspec

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.found import Found
from kvtrace.diagnosis.scene import Scene
from kvtrace.events import (
    Event,
    HandshakeFailed,
    HandshakeFinished,
    HandshakeStarted,
    MatchMade,
    RegistrationQueued,
    RegistrationSendFailed,
    RegistrationSent,
    WritePosted,
    WriteStarted,
)
from kvtrace.model import Place, Role
from kvtrace.split import Part
from kvtrace.words import clean, duration

SECOND = 1_000_000_000

COSTLY = 2 * SECOND
"""Nanoseconds in a handshake, to be worth a word: each pair makes it once, and on a busy host it
takes a second."""

LASTS = 8 * SECOND
"""Nanoseconds after which one that has not ended is named: vLLM gives the exchange in it five, and
says by then that it failed."""

QUEUED = SECOND
"""Nanoseconds that a handshake has to wait for others."""


class Spell(msgspec.Struct, frozen=True):
    """A time that a rank's one handshake thread spent on one peer."""

    peer: str
    address: str
    began: int
    ended: int
    how: str
    """How it ended; empty while it lasts."""

    told: Found[Event]


def first_handshake(case: Case) -> Diagnosis | None:
    """Half of what the transfer took or more was spent on its engines' first handshake."""
    split = case.shares
    if split is None:
        return None
    took = split.of(Part.HANDSHAKE)
    if took < COSTLY or 2 * took < split.handoff:
        return None
    made = max(case.all(HandshakeFinished), key=lambda one: one.event.took, default=None)
    if made is None:
        return None
    where, peer = case.place(made.place), case.called(made.place.role.peer)
    return case.blame(
        Cause.FIRST_HANDSHAKE,
        f"{duration(took)} of the {duration(split.handoff)} that the handoff took were the first "
        f"handshake of {where} with {peer}.",
        _warm_up(case, made.place),
        [
            case.saw(
                made,
                f"It took {duration(made.event.took)}, of which the network took "
                f"{duration(made.event.round_trip)}.",
            )
        ],
    )


def handshake_lasts(case: Case) -> Diagnosis | None:
    """One that the transfer needs has begun, and takes longer than the exchange in it may."""
    found = under_way(case) if case.over is None else None
    if found is None or case.now - found.began < LASTS:
        return None
    place = found.told.place
    where, peer = case.place(place), case.called(place.role.peer)
    return case.blame(
        Cause.FIRST_HANDSHAKE,
        f"{where} has been at its first handshake with {peer} ({found.address}) for "
        f"{duration(case.now - found.began)}, and is still at it.",
        _warm_up(case, place),
        [
            case.saw(found.told, "The handshake began."),
            case.never("handshake.finished", f"{where} did not end it yet.", place),
        ],
    )


def _warm_up(case: Case, place: Place) -> str:
    return (
        "Send a warm-up request over each link after a start, and keep `engine_ttl`"
        f"{case.scene.ttl_now(place.engine)} above the time that a link lies idle."
    )


def under_way(case: Case) -> Spell | None:
    """The handshake that this transfer waits for, where it has begun and not ended.

    Who sent a registration, or posted a write, knows the other side.
    """
    if case.has(WritePosted):
        return None
    sent = {one.place for one in case.all(RegistrationSent)}
    for waits, role in ((RegistrationQueued, Role.PRODUCER), (MatchMade, Role.CONSUMER)):
        peer = case.engine_id(role)
        for one in case.all(waits):
            if one.place in sent:
                continue
            for spell in _spells(case.scene, one.place):
                if spell.peer == peer and not spell.how:
                    return spell
    return None


def handshakes_queue(case: Case) -> Diagnosis | None:
    """The handshake waited in the queue of its one thread, behind another engine's."""
    if case.has(HandshakeStarted):
        for started in case.all(HandshakeStarted):
            if started.event.waited >= QUEUED:
                return _was_queued(case, started)
    return _still_queued(case)


def _was_queued(case: Case, started: Found[HandshakeStarted]) -> Diagnosis | None:
    waited = started.event.waited
    if case.shares is not None and 2 * waited < case.shares.handoff:
        return None
    window = started.at - waited, started.at
    return _behind(case, case.found(started.told), window, started.event.peer)


def _still_queued(case: Case) -> Diagnosis | None:
    """It has not begun: its rank is at another engine's, or was for most of the time."""
    if case.over is not None or case.has(WritePosted):
        return None
    waits: Found[Event] | None
    if not case.has(RegistrationSent, RegistrationSendFailed):
        waits, role = case.first(RegistrationQueued), Role.PRODUCER
    elif case.has(WriteStarted):
        # It was put off: only a handshake does that.
        waits, role = case.first(WriteStarted), Role.CONSUMER
    else:
        return None
    peer = case.engine_id(role)
    if waits is None or case.now - waits.at < QUEUED:
        return None
    if any(one.peer == peer for one in _spells(case.scene, waits.place)):
        return None
    return _behind(case, waits, (waits.at, case.now), peer)


def _behind(
    case: Case, waits: Found[Event], window: tuple[int, int], peer: str
) -> Diagnosis | None:
    """What the thread was at while this one waited."""
    busy, longest = _busiest(_spells(case.scene, waits.place), window, peer)
    waited = window[1] - window[0]
    if busy is None or 2 * longest < waited:
        return None
    where, other = case.place(waits.place), case.scene.called(busy.peer) or clean(busy.peer)
    ended = f", and ended with {busy.how}" if busy.how else ", and is still at it"
    return case.blame(
        Cause.HANDSHAKES_QUEUE,
        f"{where} waited {duration(waited)} for its handshake thread, which was at {other} "
        f"({busy.address}) for {duration(longest)}.",
        f"Take {other} out of the router if it does not answer; each rank makes one handshake at "
        "a time, so send a warm-up request over each link after a start.",
        [
            case.saw(waits, "This one waited for its handshake."),
            case.saw(busy.told, f"The thread was at {other}’s{ended}."),
        ],
    )


def _busiest(spells: list[Spell], window: tuple[int, int], peer: str) -> tuple[Spell | None, int]:
    """The other peer that the thread was at for longest in that time, and how long."""
    spent: dict[str, int] = {}
    last: dict[str, Spell] = {}
    for one in spells:
        shared = min(one.ended, window[1]) - max(one.began, window[0])
        if shared > 0 and one.peer != peer:
            spent[one.peer] = spent.get(one.peer, 0) + shared
            last[one.peer] = one
    name = max(spent, key=lambda each: spent[each], default=None)
    return (None, 0) if name is None else (last[name], spent[name])


def _spells(scene: Scene, place: Place) -> list[Spell]:
    """All of one rank that are known of."""
    key = f"spells {place.rank}"
    return scene.once(key, place.engine, lambda: [*_over(scene, place), *_at_work(scene, place)])


def _over(scene: Scene, place: Place) -> Iterator[Spell]:
    finished = scene.notices(place.engine, HandshakeFinished)
    failed = scene.notices(place.engine, HandshakeFailed)
    for made, how in ((finished, "success"), (failed, "an error")):
        for one in made:
            if one.place.rank == place.rank:
                event = one.event
                address = f"{event.host}:{event.port}"
                told = Found.of(one.told, scene.clocks)
                yield Spell(event.peer, address, one.at - event.took, one.at, how, told)


def _at_work(scene: Scene, place: Place) -> Iterator[Spell]:
    """The one that lasts: each attempt at a peer has a number."""
    finished = scene.notices(place.engine, HandshakeFinished)
    failed = scene.notices(place.engine, HandshakeFailed)
    over = {(one.place.rank, one.event.peer, one.event.ordinal) for one in finished}
    over |= {(one.place.rank, one.event.peer, one.event.ordinal) for one in failed}
    for one in scene.notices(place.engine, HandshakeStarted):
        event = one.event
        if one.place.rank == place.rank and (place.rank, event.peer, event.ordinal) not in over:
            address = f"{event.host}:{event.port}"
            told = Found.of(one.told, scene.clocks)
            yield Spell(event.peer, address, one.at, scene.now, "", told)
