"""The one codec: events as msgpack in black boxes, and as named attributes everywhere else."""

from collections.abc import Callable
from functools import cache
from typing import Any, Required, TypedDict, get_args

import msgspec

from kvtrace.errors import UnknownKindError, WireError
from kvtrace.events import AnyEvent, Event, kind

KINDS: dict[str, type[AnyEvent]] = {
    str(cls.__struct_config__.tag): cls for cls in get_args(AnyEvent)
}
"""Every event's class by its name on the wire."""

pack = msgspec.msgpack.Encoder().encode
"""The event as msgpack: an array of its kind and its fields in order."""

_decode = msgspec.msgpack.Decoder(AnyEvent).decode


def unpack(payload: bytes | memoryview) -> AnyEvent:
    """The event that `pack` made these bytes of.

    Raises WireError; UnknownKindError where a newer kvtrace wrote it.
    """
    try:
        return _decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _blame(payload, error) from error


_fields = cache(msgspec.structs.fields)


def attributes(event: Event) -> dict[str, Any]:
    """The event's fields by name, without those that hold their default."""
    found = {}
    for field in _fields(type(event)):
        value = getattr(event, field.name)
        if value != field.default and not (value == {} or value == ()):
            found[field.name] = msgspec.to_builtins(value)
    return found


def from_attributes(name: str, given: dict[str, Any]) -> AnyEvent:
    """The event of that kind with these attributes; attributes it does not have are passed over.

    Raises WireError; UnknownKindError where a newer kvtrace wrote it.
    """
    cls = KINDS.get(name)
    if cls is None:
        raise UnknownKindError(f"no event is called {name!r}")
    row = [given.get(field, default) for field, default in _defaults(cls)]
    try:
        event: AnyEvent = msgspec.convert([name, *row], cls, strict=True)
    except msgspec.ValidationError as error:
        raise WireError(f"{name}: {error}") from error
    return event


@cache
def decoder(cls: type[AnyEvent], beside: type[msgspec.Struct]) -> Callable[[bytes], dict[str, Any]]:
    """What reads a JSON object of the event's attributes, and of all the fields of `beside`."""
    fields: dict[str, Any] = {field.name: field.type for field in _fields(cls)}
    fields |= {field.name: Required[field.type] for field in _fields(beside)}
    # A type checker does not follow a dictionary's type that is made while running.
    made: Any = TypedDict
    told = made("told", fields, total=False)
    found: Callable[[bytes], dict[str, Any]] = msgspec.json.Decoder(told).decode
    return found


@cache
def _defaults(cls: type[AnyEvent]) -> tuple[tuple[str, Any], ...]:
    """Each field's name and default; all are converted, so that none is shared by events."""
    return tuple(
        (field.name, field.default if factory is msgspec.NODEFAULT else factory())
        for field in _fields(cls)
        for factory in (field.default_factory,)
    )


def _blame(payload: bytes | memoryview, error: Exception) -> WireError:
    """An error that tells an unknown kind from a broken record."""
    try:
        first = msgspec.msgpack.decode(payload)[0]
    except (msgspec.DecodeError, UnicodeDecodeError, LookupError, TypeError, RecursionError):
        return WireError(f"not an event: {error}")
    if isinstance(first, str) and first not in KINDS:
        return UnknownKindError(f"no event is called {first!r}")
    return WireError(f"not an event: {error}")


__all__ = ["KINDS", "attributes", "decoder", "from_attributes", "kind", "pack", "unpack"]
