"""Makes events fit: cuts their texts, and leaves out what cannot be written at all."""

from typing import TypeVar

import msgspec

from kvtrace.events import Event

Any_ = TypeVar("Any_", bound=Event)

_TEXT = 100
"""Characters that are kept of a text."""
_ENTRIES = 32
"""That are kept of a table or a list."""
_IDENTITIES = ("request", "remote_request", "producer", "consumer", "peer", "example")
"""Never cut: transfers and engines are known by them."""


def shortened(event: Any_) -> Any_:
    """The event with short texts and small tables, and without values of foreign types."""
    changed = {}
    for field in msgspec.structs.fields(event):
        value = getattr(event, field.name)
        limit = None if field.name in _IDENTITIES else _TEXT
        changed[field.name] = _cut(value, limit)
    return msgspec.structs.replace(event, **changed)


def _cut(value: object, limit: int | None) -> object:
    match value:
        case str():
            text = value.encode(errors="replace").decode()
            return text if limit is None or len(text) <= limit else text[:limit] + "…"
        case bool() | float() | None:
            return value
        case int():
            return max(-(1 << 63), min((1 << 63) - 1, value))
        case dict():
            pairs = list(value.items())[:_ENTRIES]
            return {_cut(key, _TEXT): _cut(item, _TEXT) for key, item in pairs}
        case tuple() | list():
            return tuple(_cut(item, _TEXT) for item in value[:_ENTRIES])
        case _:
            return _cut(str(value), limit)
