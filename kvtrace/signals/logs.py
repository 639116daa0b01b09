"""Events as log records and as span events, and back; both forms of one event say the same."""

from functools import cache
from typing import Any, TypeAlias

import msgspec

from kvtrace.errors import UnknownKindError, WireError
from kvtrace.events import AnyEvent
from kvtrace.model import SCHEDULER, Role
from kvtrace.moments import Ended, Lost, News, Record, Watched
from kvtrace.signals.severity import severity, severity_of_other
from kvtrace.signals.values import Attributes, Value
from kvtrace.wire import KINDS

PREFIX = "kvtrace."
"""Of every name that is ours."""

LATEST = 1 << 64
"""No clock that fits a black box or a message shows a later instant."""

OUTER = {
    "seq": "kvtrace.seq",
    "at": "kvtrace.at",
    "role": "kvtrace.role",
    "rank": "kvtrace.rank",
    "thread": "kvtrace.thread",
}
"""The attribute of each field of a Record that every log record and span event has."""

PROCESS = "kvtrace.process"
CLOCK = "kvtrace.clock"
ENGINE = "kvtrace.engine"
INSTANCE = "service.instance.id"
"""The engine's id, in the resource of what its processes say."""

_TAKEN = {*OUTER, "process", "clock", "engine"}
"""Fields of a Record: an event's own field of that name is told as `kvtrace.event.…`."""

_OTHER: dict[str, type[Lost | Ended | Watched]] = {
    "kvtrace.lost": Lost,
    "kvtrace.ended": Ended,
    "kvtrace.watched": Watched,
}
"""What is told beside events, by the name of its log record."""

_OTHER_NAMES: dict[type[News], str] = {cls: name for name, cls in _OTHER.items()}


class Resource(msgspec.Struct, frozen=True):
    """What is true of one process of one engine, as pairs so that it can be a key."""

    attributes: tuple[tuple[str, Value], ...]


class Log(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One event as a log record or a span event, without what its resource says."""

    name: str
    """Such as `kvtrace.registration.sent`."""

    wall: int
    """Nanoseconds since the epoch by the process' wall clock."""

    observed: int
    """Nanoseconds since the epoch, when we saw it."""

    severity: int
    attributes: dict[str, Value]
    trace_id: bytes = b""
    span_id: bytes = b""


Context: TypeAlias = tuple[bytes, bytes]
"""Trace id and span id; both empty where there is none."""


def log_of(news: News, observed: int, context: Context = (b"", b"")) -> Log:
    """The log record of what was told; what its resource says is left out."""
    if not isinstance(news, Record):
        return _log_of_other(news, observed)
    event = news.event
    cls = type(event)
    found: dict[str, Value] = {"kvtrace.seq": news.seq, "kvtrace.at": news.at}
    if news.role is not None:
        found["kvtrace.role"] = news.role.value
    found["kvtrace.rank"] = news.rank
    if news.thread:
        found["kvtrace.thread"] = news.thread
    for field, name, default in _plain(cls):
        value = getattr(event, field)
        if value != default:
            found[name] = value
    for field, start in _many(cls):
        for key, value in getattr(event, field).items():
            found[start + key] = value
    return Log(
        name=_NAMES[cls],
        wall=news.wall,
        observed=observed,
        severity=severity(event),
        attributes=found,
        trace_id=context[0],
        span_id=context[1],
    )


def span_event_of(record: Record, observed: int) -> Log:
    """The same as a span event, which says also whose it is: its span may be another's."""
    log = log_of(record, observed)
    whose = {PROCESS: record.process, CLOCK: record.clock, ENGINE: record.engine}
    log.attributes.update(whose)
    return log


def resource_of(process: str, engine: str, clock: str, facts: Attributes) -> Resource:
    """The resource of one process; `facts` is what else is known of it and its service."""
    found: dict[str, Value] = {"service.name": "vllm", **facts}
    own = {INSTANCE: engine, PROCESS: process, CLOCK: clock}
    found.update({name: value for name, value in own.items() if value})
    return Resource(tuple(sorted(found.items(), key=lambda pair: pair[0])))


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


def attribute(field: str) -> str:
    """The attribute that tells this field of an event."""
    return f"{PREFIX}event.{field}" if field in _TAKEN else PREFIX + field


def _table(tag: str, cls: type[AnyEvent]) -> _Table:
    fields = msgspec.structs.fields(cls)
    return _Table(
        cls=cls,
        tag=tag,
        names=tuple(attribute(field.name) for field in fields),
        defaults=tuple(None if _is_many(field) else field.default for field in fields),
        many=tuple(
            (place, attribute(field.name) + ".")
            for place, field in enumerate(fields, 1)
            if _is_many(field)
        ),
    )


@cache
def _plain(cls: type[AnyEvent]) -> tuple[tuple[str, str, Any], ...]:
    """Each field that one attribute tells: the field, the attribute, and what need not be told."""
    fields = msgspec.structs.fields(cls)
    return tuple((f.name, attribute(f.name), f.default) for f in fields if not _is_many(f))


@cache
def _many(cls: type[AnyEvent]) -> tuple[tuple[str, str], ...]:
    fields = msgspec.structs.fields(cls)
    return tuple((f.name, attribute(f.name) + ".") for f in fields if _is_many(f))


def _is_many(field: msgspec.structs.FieldInfo) -> bool:
    return field.default_factory is not msgspec.NODEFAULT


def _under(start: str, attributes: Attributes) -> dict[str, Value]:
    skip = len(start)
    return {name[skip:]: value for name, value in attributes.items() if name.startswith(start)}


def _log_of_other(news: News, observed: int) -> Log:
    told = msgspec.structs.asdict(news)
    process = told.pop("process")
    found: dict[str, Value] = {PROCESS: process} if process else {}
    found.update(
        {PREFIX + name: value for name, value in told.items() if value != 0 or value is False}
    )
    return Log(
        name=_OTHER_NAMES[type(news)],
        wall=observed,
        observed=observed,
        severity=severity_of_other(news),
        attributes=found,
    )


def _other_of(name: str, attributes: Attributes) -> News:
    cls = _OTHER.get(name)
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
_NAMES = {table.cls: name for name, table in _TABLES.items()}
_ROLES = {role.value: role for role in Role}
