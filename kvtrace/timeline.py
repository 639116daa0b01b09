"""One transfer opened: what happened where, on one axis, and what has not happened yet."""

from collections.abc import Iterable, Iterator

import msgspec

from kvtrace.causality import agreed
from kvtrace.clocks import Clocks
from kvtrace.ending import ending
from kvtrace.events import RegistrationNoticed
from kvtrace.lanes import Lane, lanes
from kvtrace.missing import consumer_name, missing, producer_name
from kvtrace.model import Outcome, Place, Role
from kvtrace.phases import Stretch, stretches
from kvtrace.steps import Ranks, read
from kvtrace.transfer import Told, Transfer


class Share(msgspec.Struct, frozen=True):
    """A stretch, and what part of the whole it is."""

    stretch: Stretch
    took: int
    """Nanoseconds; so far, if it is the last and still lasts."""

    share: float
    """Of the whole, from 0 to 1; all add up to 1."""


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """Something that went from one place to another."""

    kind: str
    """`registration` or `completion`."""

    source: Place
    target: Place
    sent: int
    """Nanoseconds of our clock."""

    noticed: int | None
    """None where it was not, or not yet."""


class Due(msgspec.Struct, frozen=True, kw_only=True):
    """A step that is still to come."""

    place: Place | None
    """Who has to make it; None where we cannot know."""

    kind: str
    """The event that would tell of it."""

    first: bool
    """Whether it is the one that holds up all others."""


class Timeline(msgspec.Struct, frozen=True, kw_only=True):
    """Everything to draw one transfer from; instants are nanoseconds of our own clock."""

    start: int
    end: int
    """Its end, or now while it is in flight."""

    outcome: Outcome | None
    """None while it is in flight."""

    stretches: tuple[Share, ...]
    lanes: tuple[Lane, ...]
    messages: tuple[Message, ...]
    missing: tuple[Due, ...]
    error: int | None
    """The largest error of the instants shown; None where one of them has no bound."""


def timeline(
    transfer: Transfer, clocks: Clocks, now: int, handshakes: Iterable[Told] = ()
) -> Timeline:
    """All there is to show of the transfer at `now`.

    Of `handshakes`, told without naming a request (`Snapshot.handshakes`), those between
    its two engines in its time are shown with it. No message is noticed before it was sent.
    """
    clocks = agreed(transfer, clocks)
    found = stretches(transfer, clocks, now)
    start, end = found[0].began, found[-1].ended
    over = ending(transfer)
    upto = max(now, start) if end is None else end
    near = (told for told in handshakes if start <= clocks.instant(told.mark) <= upto)
    rows = lanes(transfer, clocks, _between(transfer, near))
    return Timeline(
        start=start,
        end=upto,
        outcome=over.outcome if over is not None else None,
        stretches=tuple(_shares(found, start, upto)),
        lanes=rows,
        messages=tuple(_messages(transfer, clocks)),
        missing=tuple(
            Due(place=step.place, kind=step.name, first=place == 0)
            for place, step in enumerate(missing(transfer, clocks))
        ),
        error=_error(rows),
    )


def _between(transfer: Transfer, handshakes: Iterable[Told]) -> Iterator[Told]:
    """Those that one of the two engines made with the other."""
    ends = producer_name(transfer), consumer_name(transfer)
    for told in handshakes:
        if (told.place.engine, getattr(told.event, "peer", "")) in (ends, ends[::-1]):
            yield told


def _shares(found: tuple[Stretch, ...], start: int, upto: int) -> Iterator[Share]:
    whole = upto - start
    for stretch in found:
        took = (upto if stretch.ended is None else stretch.ended) - stretch.began
        yield Share(stretch, took, took / whole if whole else 1 / len(found))


def _noticed(transfer: Transfer, clocks: Clocks) -> dict[int, list[int]]:
    """When each producer rank noticed registrations, in order; they arrive as they are sent."""
    found: dict[int, list[int]] = {}
    for told in transfer.producer.told.values() if transfer.producer is not None else ():
        if isinstance(told.event, RegistrationNoticed):
            found.setdefault(told.place.rank, []).append(clocks.instant(told.mark))
    return {rank: sorted(instants) for rank, instants in found.items()}


def _by_instant(sent: tuple[Ranks, int]) -> tuple[int, Ranks]:
    return sent[1], sent[0]


def _messages(transfer: Transfer, clocks: Clocks) -> Iterator[Message]:
    steps = read(transfer, clocks)
    producer, consumer = producer_name(transfer), consumer_name(transfer)
    noticed = _noticed(transfer, clocks)
    for (rank, peer), sent in sorted(steps.at("registration.sent").items(), key=_by_instant):
        arrivals = noticed.get(peer)
        yield Message(
            kind="registration",
            source=Place(consumer, Role.CONSUMER, rank),
            target=Place(producer, Role.PRODUCER, peer),
            sent=sent,
            noticed=arrivals.pop(0) if arrivals else None,
        )
    heard = steps.at("notification.noticed")
    for (rank, peer), sent in sorted(steps.landed.items()):
        arrived = heard.get((peer, rank), heard.get((peer, -1)))
        yield Message(
            kind="completion",
            source=Place(producer, Role.PRODUCER, rank),
            target=Place(consumer, Role.CONSUMER, peer),
            sent=sent,
            noticed=arrived,
        )


def _error(rows: tuple[Lane, ...]) -> int | None:
    errors = [point.error for lane in rows for point in lane.points]
    known = [error for error in errors if error is not None]
    return max(known, default=0) if len(known) == len(errors) else None
