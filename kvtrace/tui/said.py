"""Says events and their attributes in words."""

from typing import Any

from kvtrace import words
from kvtrace.events import AnyEvent
from kvtrace.wire import attributes, kind

_DURATIONS = {
    "clock_offset",
    "gap",
    "lease",
    "longest",
    "longest_gap",
    "oldest",
    "post",
    "prepare",
    "queued",
    "registration_timeout",
    "round_trip",
    "timeout",
    "took",
    "total",
    "transfer",
    "waited",
    "window",
}
"""Attributes that are nanoseconds."""

_COUNTS = {"blocks"}
"""Facts that are read with commas, and to the last digit."""

_SILENT = {"request", "ordinal", "side"}
"""Attributes that say what is seen anyway."""


def name(event: AnyEvent) -> str:
    """The event's name in words: `write posted`."""
    return words.event(kind(event))


def attribute_words(event: AnyEvent) -> list[str]:
    """Each attribute that is not at its default, with its unit."""
    told = attributes(event)
    said = []
    if told.get("host"):
        said.append(f"{words.clean(str(told.pop('host')))}:{told.pop('port', 0)}")
    # Why something failed is cut off last.
    for key, value in sorted(told.items(), key=lambda one: one[0] != "error"):
        if key not in _SILENT:
            said.append(_said(key, value))
    return said


def _value(key: str, value: Any) -> str:
    if isinstance(value, int):
        return words.duration(value) if key in _DURATIONS else words.count(value)
    return words.clean(str(value))


def fact(name: str, value: str) -> str:
    """What an engine told of itself, with its unit; `–` where it did not."""
    if not value:
        return words.UNKNOWN
    if value.isdecimal() and name in _DURATIONS:
        return words.duration(int(value))
    if value.isdecimal() and name in _COUNTS:
        return f"{int(value):,}"
    return words.clean(value)


def _said(key: str, value: Any) -> str:
    called = key.replace("_", " ")
    if isinstance(value, bool):
        return called if value else f"not {called}"
    if isinstance(value, int):
        if key in _DURATIONS:
            return f"{called} {words.duration(value)}"
        return f"{called} {words.size(value) if key == 'size' else words.count(value)}"
    if isinstance(value, dict):
        told = (
            f"{words.clean(str(k)).replace('_', ' ')} {_value(key, v)}"
            for k, v in value.items()
            if v
        )
        return f"{called} {', '.join(told) or 'none'}"
    if isinstance(value, list):
        return f"{called} {', '.join(words.clean(str(item)) for item in value)}"
    text = words.clean(str(value))
    return text if key == "error" else f"{called} {text}"
