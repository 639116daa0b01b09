"""Tells losses so that each adds up once, also where an earlier agent told some of them."""

import uuid
from collections.abc import Collection

import msgspec

from kvtrace.agent.cursor import COUNTED, Cursor
from kvtrace.moments import Lost


class Losses:
    """What a black box counts, it counts from its process' beginning: whoever reads it anew is
    told all of that at the first look, and of it only what is new goes on."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._me = uuid.uuid4().hex
        self._number = 0
        self._met: set[str] = set()

    def keep(self, processes: Collection[str]) -> None:
        """Forget all processes but these."""
        self._met &= set(processes)

    def fresh(self, lost: Lost) -> Lost | None:
        """What of it no earlier agent told; None where that is nothing."""
        if not lost.process or lost.process in self._met:
            return lost
        self._met.add(lost.process)
        told = self._cursor.before(lost.process).lost
        new = msgspec.structs.replace(
            lost, **{name: max(0, getattr(lost, name) - told.get(name, 0)) for name in COUNTED}
        )
        return new if any(new.counts.values()) else None

    def numbered(self, lost: Lost) -> Lost:
        """The loss as one that adds up once, though it may arrive twice."""
        self._number += 1
        return msgspec.structs.replace(lost, teller=self._me, number=self._number)
