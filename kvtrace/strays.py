"""Last words of halves that we have not heard of, kept a while in case their first ones follow."""

from kvtrace.moments import Record
from kvtrace.pairing import Key

_ROOM = 1_000


class Strays:
    """Records that cannot begin a half, by whose they are; the oldest give way."""

    def __init__(self) -> None:
        self._kept: dict[Key, list[tuple[Record, int]]] = {}

    def keep(self, key: Key, record: Record, seen: int) -> None:
        """Keep the record, and when we saw it, until its half is heard of."""
        self._kept.setdefault(key, []).append((record, seen))
        if len(self._kept) > _ROOM:
            del self._kept[next(iter(self._kept))]

    def give(self, key: Key) -> list[tuple[Record, int]]:
        """What was kept for this half; it is kept no longer."""
        return self._kept.pop(key, [])
