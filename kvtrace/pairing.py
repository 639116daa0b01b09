"""Which halves belong together, by what the producer said and by what their ids share."""

from typing import TypeAlias

import msgspec

from kvtrace.events import MatchMade, RegistrationNoticed, WritePosted, WriteStarted
from kvtrace.model import Role
from kvtrace.moments import Record
from kvtrace.transfer import Half, MarkKey, Told, Transfer

Key: TypeAlias = tuple[str, Role, str]
"""Engine, role and engine-local id: whose id it is, whoever speaks of it."""


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known under one engine-local id, whoever told it."""

    key: Key
    half: Half | None
    """What its own engine told."""

    heard: Half | None = None
    """What a producer told of a consumer's id without naming its own."""

    origin: str
    """The id of the transfer that it was part of."""


def arrange(group: tuple[Transfer, ...]) -> tuple[Transfer, ...]:
    """These transfers joined, and parted, as the evidence says.

    A match joins for good. Where there is none, halves whose base ids are alike join only
    if neither could as well belong to another; otherwise they are kept apart, as rivals.
    """
    sides = [side for transfer in group for side in parts(transfer)]
    producers = {side.key: side for side in sides if side.key[1] is Role.PRODUCER}
    consumers = {side.key: side for side in sides if side.key[1] is Role.CONSUMER}
    mates = _matches(producers, consumers)
    options = _options(producers, consumers, mates)
    guesses = {
        mine: theirs[0]
        for mine, theirs in options.items()
        if mine in producers and len(theirs) == 1 and len(options[theirs[0]]) == 1
    }
    taken = set(mates.values()) | set(guesses.values())
    made = []
    for key, side in producers.items():
        mate = mates.get(key) or guesses.get(key)
        how = "match" if key in mates else "base id"
        rivals = () if key in guesses else tuple(options.get(key, ()))
        made.append(_join(side, consumers[mate] if mate else None, how if mate else "", rivals))
    for key, side in consumers.items():
        if key not in taken:
            made.append(_join(None, side, "", tuple(options.get(key, ()))))
    return _named(made, group)


def parts(transfer: Transfer) -> list[Side]:
    """The sides that a transfer is made of: one for each engine-local id."""
    found = []
    own, heard = _split(transfer.producer)
    if own is not None:
        key = (own.engine, Role.PRODUCER, own.request)
        found.append(Side(key=key, half=own, origin=transfer.id))
    if transfer.consumer is not None:
        key = (transfer.consumer.engine, Role.CONSUMER, transfer.consumer.request)
        found.append(Side(key=key, half=transfer.consumer, heard=heard, origin=transfer.id))
    elif heard is not None:
        key = (_consumer_of(heard), Role.CONSUMER, heard.request)
        found.append(Side(key=key, half=None, heard=heard, origin=transfer.id))
    return found


def whose(record: Record) -> Key | None:
    """Whose id the record speaks of; None where it speaks of no request."""
    event = record.event
    role = record.role or event.role
    if role is None:
        return None
    request = event.request
    if request:
        return (record.engine, role, request)
    if isinstance(event, RegistrationNoticed) and event.remote_request:
        return (event.consumer, Role.CONSUMER, event.remote_request)
    return None


def named_consumer(told: Told | Record) -> Key | None:
    """Whose id a producer's event names beside its own."""
    event = told.event
    if isinstance(event, _NAMES_BOTH) and event.request and event.remote_request:
        return (event.consumer, Role.CONSUMER, event.remote_request)
    return None


def named(transfer: Transfer) -> list[Key]:
    """Every consumer's id that the producer named beside its own."""
    if transfer.producer is None:
        return []
    found = map(named_consumer, transfer.producer.told.values())
    return [key for key in dict.fromkeys(found) if key is not None]


def is_half(transfer: Transfer) -> bool:
    """Whether one side of it is not heard of under its own id."""
    return len(parts(transfer)) < 2


def with_half(transfer: Transfer, half: Half) -> Transfer:
    """The transfer with this half in its place."""
    producer, consumer = transfer.producer, transfer.consumer
    if half.role is _P:
        producer = half
    else:
        consumer = half
    return Transfer(
        id=transfer.id,
        producer=producer,
        consumer=consumer,
        joined=transfer.joined,
        rivals=transfer.rivals,
    )


def _split(half: Half | None) -> tuple[Half | None, Half | None]:
    """What the producer told under its own id, and what only under the consumer's."""
    if half is None:
        return None, None
    heard = {key: told for key, told in half.told.items() if not told.event.request}
    if not heard:
        return half, None
    remote = next(str(getattr(told.event, "remote_request", "")) for told in heard.values())
    theirs = _with(half, heard, remote)
    if len(heard) == len(half.told):
        return None, theirs
    own = {key: told for key, told in half.told.items() if key not in heard}
    return _with(half, own, half.request), theirs


def _with(half: Half, told: dict[MarkKey, Told], request: str) -> Half:
    return msgspec.structs.replace(half, told=told, request=request)


def _consumer_of(heard: Half) -> str:
    names = (str(getattr(told.event, "consumer", "")) for told in heard.told.values())
    return next((name for name in names if name), "")


def _matches(producers: dict[Key, Side], consumers: dict[Key, Side]) -> dict[Key, Key]:
    """The consumer's side of each producer's side that a match named; the earliest counts."""
    said = []
    for key, side in producers.items():
        for told in side.half.told.values() if side.half is not None else ():
            theirs = named_consumer(told)
            if theirs is not None:
                said.append((told.mark.at, told.seq, key, theirs))
    mates: dict[Key, Key] = {}
    for _, _, mine, theirs in sorted(said):
        if mine not in mates and theirs in consumers and theirs not in mates.values():
            mates[mine] = theirs
    return mates


def _options(
    producers: dict[Key, Side], consumers: dict[Key, Side], mates: dict[Key, Key]
) -> dict[Key, list[Key]]:
    """For each side without a match, those on the other side that it could belong to."""
    taken = set(mates.values())
    options: dict[Key, list[Key]] = {
        key: [] for key in (*producers, *consumers) if key not in mates and key not in taken
    }
    for mine, side in producers.items():
        for theirs, other in consumers.items():
            if mine in options and theirs in options and _fit(side, other):
                options[mine].append(theirs)
                options[theirs].append(mine)
    return options


def _fit(producer: Side, consumer: Side) -> bool:
    """Whether the ids are alike, and the consumer was not sent to another producer."""
    if producer.half is None:
        return False
    half = consumer.half or consumer.heard
    if half is None or half.base != producer.half.base:
        return False
    if consumer.heard is not None and consumer.heard.engine != producer.half.engine:
        return False
    told = consumer.half.told.values() if consumer.half is not None else ()
    names = {str(getattr(one.event, "producer", "")) for one in told} - {""}
    return not names or producer.half.engine in names


def _join(
    producer: Side | None, consumer: Side | None, how: str, rivals: tuple[Key, ...]
) -> tuple[list[str], Transfer]:
    """The transfer of these sides, with the ids that it could go by."""
    own = producer.half if producer is not None else None
    heard = consumer.heard if consumer is not None else None
    half = own or heard
    if own is not None and heard is not None:
        half = _with(own, {**heard.told, **own.told}, own.request)
    theirs = consumer.half if consumer is not None else None
    if not how and half is not None and theirs is not None:
        how = "registration"
    origins = [side.origin for side in (producer, consumer) if side is not None]
    transfer = Transfer(
        id="",
        producer=half,
        consumer=theirs,
        joined=how,
        rivals=tuple(sorted(key[2] for key in rivals)),
    )
    return origins, transfer


def _named(
    made: list[tuple[list[str], Transfer]], group: tuple[Transfer, ...]
) -> tuple[Transfer, ...]:
    """The transfers under the ids they had; where one was parted, one gets a new id."""
    order = {transfer.id: place for place, transfer in enumerate(group)}
    taken: set[str] = set()
    named = []
    for origins, transfer in made:
        known = sorted({o for o in origins if o not in taken}, key=order.__getitem__)
        half = transfer.consumer or transfer.producer
        name = known[0] if known or half is None else fresh_id(half)
        taken.add(name)
        named.append(msgspec.structs.replace(transfer, id=name))
    return tuple(named)


def fresh_id(half: Half) -> str:
    """An id that no other transfer can have: whose it is, and its engine-local id."""
    return f"{half.engine}/{half.request}"


_P = Role.PRODUCER

_NAMES_BOTH = (MatchMade, WriteStarted, WritePosted)
