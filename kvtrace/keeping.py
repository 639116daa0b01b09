"""Remembers the last of many things, so that memory never grows without end."""

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def keep(known: dict[K, V], key: K, value: V, most: int) -> None:
    """Remember the value; beyond so many, what was told of longest ago is forgotten."""
    known.pop(key, None)
    known[key] = value
    if len(known) > most:
        del known[next(iter(known))]
