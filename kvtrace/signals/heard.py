"""What producers told of a consumer's request before they knew which of theirs it belongs to."""

from kvtrace.moments import Record

MOST = 64
"""Registrations that are kept for one id: one for each pair of ranks."""


class Heard:
    """Registrations by who noticed them and whose they are, in bounded room."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: dict[tuple[str, str], dict[tuple[str, int], tuple[Record, int]]] = {}

    def keep(self, request: str, record: Record, seen: int) -> None:
        """Keep it; beyond the limit the oldest id is forgotten."""
        kept = self._kept.setdefault((record.engine, request), {})
        if len(kept) < MOST:
            kept.setdefault((record.process, record.seq), (record, seen))
        if len(self._kept) > self._limit:
            del self._kept[next(iter(self._kept))]

    def of(self, engine: str, requests: set[str]) -> list[tuple[Record, int]]:
        """What this engine noticed for these ids of its consumer."""
        kept = (self._kept.get((engine, request), {}) for request in requests)
        return [one for found in kept for one in found.values()]

    def drop(self, engine: str, requests: set[str]) -> None:
        """Forget it: the half that it belonged to is over."""
        for request in requests:
            self._kept.pop((engine, request), None)
