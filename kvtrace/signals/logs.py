"""Events as log records and as span events; both forms of one event say the same."""

from functools import cache
from typing import Any, TypeAlias

import msgspec

from kvtrace.events import AnyEvent
from kvtrace.moments import Ended, Lost, News, Record, Watched
from kvtrace.signals.severity import severity, severity_of_other
from kvtrace.signals.values import Attributes, Value
from kvtrace.wire import KINDS

PREFIX = "kvtrace."
"""Of every name that is ours."""

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

OTHER: dict[str, type[Lost | Ended | Watched]] = {
    "kvtrace.lost": Lost,
    "kvtrace.ended": Ended,
    "kvtrace.watched": Watched,
}
"""What is told beside events, by the name of its log record."""

_OTHER_NAMES: dict[type[News], str] = {cls: name for name, cls in OTHER.items()}


class Resource(msgspec.Struct, frozen=True):
    """What is true of one process of one engine, as pairs so that it can be a key."""

    attributes: tuple[tuple[str, Value], ...]


Context: TypeAlias = tuple[bytes, bytes]
"""Trace id and span id; both empty where there is none."""

NOWHERE: Context = (b"", b"")


class Log(msgspec.Struct, frozen=True, gc=False):
    """What was told as a log record, without what its resource says."""

    news: News
    observed: int
    """Nanoseconds since the epoch, when we saw it."""

    context: Context = NOWHERE

    @property
    def name(self) -> str:
        """Such as `kvtrace.registration.sent`."""
        return name_of(self.news)

    @property
    def wall(self) -> int:
        """Nanoseconds since the epoch by the process' wall clock, where the process told it."""
        return self.news.wall if isinstance(self.news, Record) else self.observed

    @property
    def severity(self) -> int:
        """As OpenTelemetry's number."""
        if isinstance(self.news, Record):
            return severity(self.news.event)
        return severity_of_other(self.news)

    @property
    def attributes(self) -> dict[str, Value]:
        """What it says."""
        return attributes_of(self.news)


class SpanEvent(msgspec.Struct, frozen=True, gc=False):
    """The same event in a span, which says also whose it is: its span may be another's."""

    record: Record

    @property
    def name(self) -> str:
        """Such as `kvtrace.registration.sent`."""
        return name_of(self.record)

    @property
    def wall(self) -> int:
        """Nanoseconds since the epoch by the process' wall clock."""
        return self.record.wall

    @property
    def attributes(self) -> dict[str, Value]:
        """What it says."""
        return attributes_of(self.record) | whose_of(self.record)


def name_of(news: News) -> str:
    """What a log record of this is called, or a span event."""
    return _NAMES[type(news.event)] if isinstance(news, Record) else _OTHER_NAMES[type(news)]


def attributes_of(news: News) -> dict[str, Value]:
    """What was told, as the attributes that a log record and a span event have alike."""
    if not isinstance(news, Record):
        return _attributes_of_other(news)
    found: dict[str, Value] = {"kvtrace.seq": news.seq, "kvtrace.at": news.at}
    return found | place_of(news) | fields_of(news.event)


def place_of(record: Record) -> dict[str, Value]:
    """Where it was told: what one thread's events have alike."""
    found: dict[str, Value] = {}
    if record.role is not None:
        found["kvtrace.role"] = record.role.value
    found["kvtrace.rank"] = record.rank
    if record.thread:
        found["kvtrace.thread"] = record.thread
    return found


def whose_of(record: Record) -> dict[str, Value]:
    """Whose it is, which a log record leaves to its resource."""
    return {PROCESS: record.process, CLOCK: record.clock, ENGINE: record.engine}


def fields_of(event: AnyEvent) -> dict[str, Value]:
    """What the event itself says."""
    cls = type(event)
    found: dict[str, Value] = {}
    for field, name, default in _plain(cls):
        value = getattr(event, field)
        if value != default:
            found[name] = value
    for field, start in _many(cls):
        for key, value in getattr(event, field).items():
            found[start + key] = value
    return found


def resource_of(process: str, engine: str, clock: str, facts: Attributes) -> Resource:
    """The resource of one process; `facts` is what else is known of it and its service."""
    found: dict[str, Value] = {"service.name": "vllm", **facts}
    own = {INSTANCE: engine, PROCESS: process, CLOCK: clock}
    found.update({name: value for name, value in own.items() if value})
    return Resource(tuple(sorted(found.items(), key=lambda pair: pair[0])))


def attribute(field: str) -> str:
    """The attribute that tells this field of an event."""
    return f"{PREFIX}event.{field}" if field in _TAKEN else PREFIX + field


@cache
def _plain(cls: type[AnyEvent]) -> tuple[tuple[str, str, Any], ...]:
    """Each field that one attribute tells: the field, the attribute, and what need not be told."""
    fields = msgspec.structs.fields(cls)
    return tuple((f.name, attribute(f.name), f.default) for f in fields if not is_many(f))


@cache
def _many(cls: type[AnyEvent]) -> tuple[tuple[str, str], ...]:
    fields = msgspec.structs.fields(cls)
    return tuple((f.name, attribute(f.name) + ".") for f in fields if is_many(f))


def is_many(field: msgspec.structs.FieldInfo) -> bool:
    """Whether the field holds many values, each with an attribute of its own."""
    return field.default_factory is not msgspec.NODEFAULT


def _attributes_of_other(news: News) -> dict[str, Value]:
    told = msgspec.structs.asdict(news)
    process = told.pop("process")
    found: dict[str, Value] = {PROCESS: process} if process else {}
    found.update(
        {PREFIX + name: value for name, value in told.items() if value != 0 or value is False}
    )
    return found


_NAMES = {cls: PREFIX + kind for kind, cls in KINDS.items()}
