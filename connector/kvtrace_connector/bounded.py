"""A dictionary that never grows beyond its limit."""

from typing import TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")

_set = dict.__setitem__
"""A call through `super()` takes as long again."""


class Bounded(dict[Key, Value]):
    """Forgets its oldest entry when a new one would be too many.

    What we remember of requests is normally forgotten when they end; a request whose end we
    never see must not make the host's memory grow.
    """

    __slots__ = ("_limit",)

    def __init__(self, limit: int = 8192) -> None:
        super().__init__()
        self._limit = limit

    def __setitem__(self, key: Key, value: Value) -> None:
        _set(self, key, value)
        if len(self) > self._limit:
            # In one step each, since another thread may be at the same dictionary.
            self.pop(next(iter(tuple(self))), None)
