"""Events out of log records and span events, whoever sent them."""

from typing import Any

import msgspec

from kvtrace.errors import UnknownKindError, WireError
from kvtrace.events import AnyEvent
from kvtrace.model import SCHEDULER, Role
from kvtrace.moments import News, Record
from kvtrace.signals.logs import CLOCK, ENGINE, INSTANCE, OTHER, PREFIX, PROCESS, attribute, is_many
from kvtrace.signals.values import Attributes, Value
from kvtrace.wire import KINDS

LATEST = 1 << 64
"""No clock that fits a black box or a message shows a later instant."""


def news_of(name: str, wall: int, attributes: Attributes, resource: Attributes) -> News:
    """What the log record or span event of this name tells; its own attributes win.

    Raises WireError; UnknownKindError where a newer kvtrace wrote it.
    """
    table = _TABLES.get(name)
    if table is None:
        return _other_of(name, attributes)
    row: list[Any] = [table.tag, *map(attributes.get, table.names, table.defaults)]
    for place, start in table.many:
        row[place] = _under(start, attributes)
    try:
        return _record(msgspec.convert(row, table.cls), wall, attributes, resource)
    except (msgspec.ValidationError, LookupError, TypeError) as error:
        raise WireError(f"{name}: {error}") from error


def _record(event: AnyEvent, wall: int, attributes: Attributes, resource: Attributes) -> Record:
    """The record of that event; TypeError or LookupError where what it needs is not as it should.

    It is made when all is checked: this runs for each event that is received.
    """
    get = attributes.get
    process: Any = get(PROCESS) or resource[PROCESS]
    clock: Any = get(CLOCK) or resource[CLOCK]
    engine: Any = get(ENGINE) or resource.get(INSTANCE, "")
    seq: Any = attributes["kvtrace.seq"]
    at: Any = attributes["kvtrace.at"]
    role: Any = get("kvtrace.role")
    rank: Any = get("kvtrace.rank", SCHEDULER)
    thread: Any = get("kvtrace.thread", "")
    if not (
        type(process) is type(clock) is type(engine) is type(thread) is str
        and type(seq) is type(at) is type(wall) is type(rank) is int
    ):
        raise TypeError("who said it, or when, is not told as it should be")
    if not (
        process
        and 0 <= at < LATEST
        and 0 <= wall < LATEST
        and 0 <= seq < LATEST
        and SCHEDULER <= rank < LATEST
    ):
        raise TypeError("a number is out of range")
    return Record(
        process=process,
        seq=seq,
        at=at,
        wall=wall,
        clock=clock,
        engine=engine,
        role=None if role is None else _ROLES[role],
        rank=rank,
        thread=thread,
        event=event,
    )


class _Table(msgspec.Struct, frozen=True, kw_only=True):
    """How one kind of event is read from attributes."""

    cls: type[AnyEvent]
    tag: str
    names: tuple[str, ...]
    defaults: tuple[Any, ...]
    many: tuple[tuple[int, str], ...]
    """Places in the row, after the tag, of what is spread over several attributes."""


def _table(tag: str, cls: type[AnyEvent]) -> _Table:
    fields = msgspec.structs.fields(cls)
    return _Table(
        cls=cls,
        tag=tag,
        names=tuple(attribute(field.name) for field in fields),
        defaults=tuple(None if is_many(field) else field.default for field in fields),
        many=tuple(
            (place, attribute(field.name) + ".")
            for place, field in enumerate(fields, 1)
            if is_many(field)
        ),
    )


def _under(start: str, attributes: Attributes) -> dict[str, Value]:
    skip = len(start)
    return {name[skip:]: value for name, value in attributes.items() if name.startswith(start)}


def _other_of(name: str, attributes: Attributes) -> News:
    cls = OTHER.get(name)
    if cls is None:
        raise UnknownKindError(f"no event is called {name!r}")
    given = {f: attributes[PREFIX + f] for f in cls.__struct_fields__ if PREFIX + f in attributes}
    try:
        news: News = msgspec.convert(given, cls)
    except msgspec.ValidationError as error:
        raise WireError(f"{name}: {error}") from error
    if any(type(value) is int and value < 0 for value in given.values()):
        raise WireError(f"{name}: a count is negative")
    return news


_TABLES = {PREFIX + tag: _table(tag, cls) for tag, cls in KINDS.items()}
_ROLES = {role.value: role for role in Role}
