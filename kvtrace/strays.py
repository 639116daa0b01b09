"""Last words of halves that we have not heard of, kept a while in case their first ones follow."""

from kvtrace.identity import base_id
from kvtrace.moments import Record
from kvtrace.pairing import Key

_ROOM = 1_000
"""Halves of which last words are kept."""

_RECORDS = 8_000
"""Records that are kept of all together."""


class Strays:
    """Records that cannot begin a half, by whose they are; the oldest give way."""

    def __init__(self) -> None:
        self._count = 0
        self._kept: dict[Key, list[tuple[Record, int]]] = {}
        self._by_base: dict[str, list[tuple[Record, int]]] | None = None

    def __contains__(self, key: Key) -> bool:
        """Whether anything is kept for this half."""
        return key in self._kept

    def keep(self, key: Key, record: Record, seen: int) -> None:
        """Keep the record, and when we saw it, until its half is heard of."""
        self._kept.setdefault(key, []).append((record, seen))
        self._count += 1
        self._by_base = None
        if len(self._kept) > _ROOM or self._count > _RECORDS:
            self.give(next(iter(self._kept)))

    def of(self, base: str) -> tuple[tuple[Record, int], ...]:
        """What is kept for halves with this base id, and when we saw it."""
        if self._by_base is None:
            self._by_base = {}
            for key, kept in self._kept.items():
                found = self._by_base.setdefault(base_id(key[2]), [])
                found.extend(kept)
        return tuple(self._by_base.get(base, ()))

    def give(self, key: Key) -> list[tuple[Record, int]]:
        """What was kept for this half; it is kept no longer."""
        given = self._kept.pop(key, None)
        if given is None:
            return []
        self._by_base = None
        self._count -= len(given)
        return given
