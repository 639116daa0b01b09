"""What happened in each place of a transfer, in the order in which a message passes them."""

from collections.abc import Iterable, Iterator

import msgspec

from kvtrace.clocks import Clocks
from kvtrace.events import (
    AnyEvent,
    BlocksReady,
    HandshakeFailed,
    HandshakeFinished,
    HandshakeStarted,
    PrefillAdmitted,
    WriteFailed,
    WriteFinished,
    WritePosted,
    kind,
)
from kvtrace.missing import consumer_name, producer_name
from kvtrace.model import SCHEDULER, Place, Role
from kvtrace.transfer import Half, Told, Transfer


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """One event, at its place on the axis."""

    at: int
    """Nanoseconds of our clock."""

    error: int | None
    """Either way; None where nothing bounds it."""

    kind: str
    label: str
    event: AnyEvent
    place: Place


class Bar(msgspec.Struct, frozen=True, kw_only=True):
    """Something that lasted."""

    kind: str
    """`prefill`, `handshake` or `write`."""

    began: int
    """Nanoseconds of our clock."""

    ended: int | None
    """None while it lasts."""

    failed: bool = False
    peer_rank: int = -1
    """Of a write, the consumer's rank."""


class Lane(msgspec.Struct, frozen=True, kw_only=True):
    """What happened in one place, in order."""

    place: Place
    """With an empty engine for a side that nobody named."""

    handshake: str = ""
    """The peer engine of a lane that shows the handshakes with it; empty in all others."""

    seen: bool = True
    """Whether this side tells us anything; else the lane stands for what we cannot see."""

    points: tuple[Point, ...] = ()
    bars: tuple[Bar, ...] = ()


def lanes(transfer: Transfer, clocks: Clocks, handshakes: Iterable[Told] = ()) -> tuple[Lane, ...]:
    """The lanes from consumer to producer: D scheduler, D ranks, handshakes, P ranks, P scheduler.

    `handshakes` are those that were told without naming a request.
    """
    consumer = _side(transfer.consumer, Role.CONSUMER, consumer_name(transfer))
    producer = _side(transfer.producer, Role.PRODUCER, producer_name(transfer))
    found = [told for half in (consumer, producer) for told in half.told if _is_handshake(told)]
    shaken = list(_handshakes([*found, *handshakes], clocks))
    return (
        *_lanes(consumer, clocks),
        *shaken,
        *reversed(_lanes(producer, clocks)),
    )


class _Side(msgspec.Struct, frozen=True):
    role: Role
    engine: str
    told: tuple[Told, ...]


def _side(half: Half | None, role: Role, engine: str) -> _Side:
    return _Side(role, engine, tuple(half.told.values()) if half is not None else ())


def _lanes(side: _Side, clocks: Clocks) -> list[Lane]:
    """The scheduler's lane, then the ranks' in falling order on a producer."""
    places: dict[int, list[Told]] = {SCHEDULER: []}
    for told in side.told:
        if not _is_handshake(told):
            places.setdefault(told.place.rank, []).append(told)
    ranks = sorted(places, reverse=side.role is Role.PRODUCER)
    order = [SCHEDULER, *(rank for rank in ranks if rank != SCHEDULER)]
    return [
        Lane(
            place=Place(side.engine, side.role, rank),
            seen=bool(side.told),
            points=_points(places[rank], clocks),
            bars=_bars(places[rank], clocks),
        )
        for rank in order
    ]


def _handshakes(told: list[Told], clocks: Clocks) -> Iterator[Lane]:
    """A lane for each rank and the peer it reached for; the consumer's first."""
    places: dict[tuple[Place, str], list[Told]] = {}
    for one in told:
        peer = str(getattr(one.event, "peer", ""))
        places.setdefault((one.place, peer), []).append(one)
    for place, peer in sorted(places, key=lambda key: (key[0].role is Role.PRODUCER, key[0].rank)):
        found = places[place, peer]
        yield Lane(
            place=place,
            handshake=peer or "?",
            points=_points(found, clocks),
            bars=_bars(found, clocks),
        )


def _points(told: Iterable[Told], clocks: Clocks) -> tuple[Point, ...]:
    points = []
    for one in sorted(told, key=lambda one: (clocks.instant(one.mark), one.seq)):
        at, error = clocks.to_ours(one.mark)
        name = kind(one.event)
        points.append(
            Point(
                at=at,
                error=error,
                kind=name,
                label=LABELS.get(name, name),
                event=one.event,
                place=one.place,
            )
        )
    return tuple(points)


def _bars(told: list[Told], clocks: Clocks) -> tuple[Bar, ...]:
    """What began and ended among these events of one place; each end takes the nearest begin."""
    begun: dict[tuple[str, int], int] = {}
    made = []
    for one in sorted(told, key=lambda one: (clocks.instant(one.mark), one.seq)):
        at = clocks.instant(one.mark)
        match one.event:
            case PrefillAdmitted():
                begun["prefill", -1] = at
            case HandshakeStarted():
                begun["handshake", -1] = at
            case WritePosted(peer_rank=peer):
                begun["write", peer] = at
            case BlocksReady(held=held):
                made.append(_bar(begun, ("prefill", -1), at, not held))
            case HandshakeFinished() | HandshakeFailed():
                failed = isinstance(one.event, HandshakeFailed)
                began = begun.setdefault(("handshake", -1), at - one.event.took)
                made.append(_bar(begun, ("handshake", -1), max(at, began), failed))
            case WriteFinished(peer_rank=peer) | WriteFailed(peer_rank=peer):
                failed = isinstance(one.event, WriteFailed)
                made.append(_bar(begun, ("write", peer), at, failed))
            case _:
                pass
    still = [
        Bar(kind=name, began=at, ended=None, peer_rank=peer) for (name, peer), at in begun.items()
    ]
    return tuple(bar for bar in (*made, *still) if bar is not None)


def _bar(
    begun: dict[tuple[str, int], int], key: tuple[str, int], at: int, failed: bool
) -> Bar | None:
    """The bar that ends here; None where its beginning was not seen."""
    began = begun.pop(key, None)
    if began is None:
        return None
    return Bar(kind=key[0], began=began, ended=at, failed=failed, peer_rank=key[1])


def _is_handshake(told: Told) -> bool:
    return isinstance(told.event, _HANDSHAKES)


_HANDSHAKES = (HandshakeStarted, HandshakeFinished, HandshakeFailed)

LABELS = {
    "request.admitted": "admitted",
    "load.decided": "waits",
    "registration.staged": "staged",
    "registration.skipped": "nothing to register",
    "registration.shipped": "shipped",
    "registration.expired": "registration expired",
    "registration.queued": "queued",
    "registration.sent": "registered",
    "registration.send_failed": "not registered",
    "registration.noticed": "registration",
    "notification.noticed": "notified",
    "completion.counted": "counted",
    "receive.reported": "reported",
    "receive.finished": "received",
    "receive.failed": "receive failed",
    "request.resumed": "resumed",
    "request.finished": "finished",
    "handshake.started": "handshake",
    "handshake.finished": "shaken",
    "handshake.failed": "no handshake",
    "prefill.admitted": "admitted",
    "blocks.ready": "ready",
    "blocks.shipped": "shipped",
    "blocks.queued": "blocks",
    "blocks.released": "released",
    "lease.granted": "leased",
    "lease.expired": "lease ran out",
    "match.made": "match",
    "match.missed": "no match yet",
    "write.started": "write",
    "write.posted": "posted",
    "write.finished": "written",
    "write.failed": "write failed",
    "send.reported": "reported",
    "failure.logged": "failure",
}
"""What a point is called where there is little room."""
