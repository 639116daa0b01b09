"""Foreign values as the plain types that events carry."""

from typing import Any

LONGEST = 300
"""Characters of a foreign text that an event keeps."""


def identity(value: object) -> str:
    """The id of a request, an engine or an agent, whole, since events are joined by it."""
    if type(value) is str:
        return value
    return "" if value is None else str(value)


def text(value: object) -> str:
    """The value as a text, cut to a length that fits an event; empty for None."""
    return "" if value is None else str(value)[:LONGEST]


def number(value: object) -> int:
    """The value where it is a number, or a text of digits; else 0."""
    if isinstance(value, int):
        return int(value)
    return int(value) if isinstance(value, str) and value.isdecimal() else 0


def reason(error: BaseException) -> str:
    """What an exception says."""
    return text(error) or type(error).__name__


def blocks_in(groups: Any) -> int:
    """How many blocks a list, or a list of lists of block ids names."""
    if not groups:
        return 0
    if isinstance(groups[0], (list, tuple)):
        return sum(map(len, groups))
    return len(groups)


def nanoseconds(seconds: float) -> int:
    """Seconds as whole nanoseconds."""
    return int(seconds * 1e9)
