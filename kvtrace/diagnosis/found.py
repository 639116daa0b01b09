"""One event that a rule looks at: what, where, and when on our clock."""

from typing import Any, Generic, TypeVar

import msgspec

from kvtrace.clocks import Clocks
from kvtrace.events import Event
from kvtrace.model import Place
from kvtrace.transfer import Told

E = TypeVar("E", bound=Event)


class Found(msgspec.Struct, Generic[E], frozen=True, gc=False):
    """An event, and where and when it happened."""

    event: E
    at: int
    """Nanoseconds of our clock."""

    place: Place
    told: Told

    @classmethod
    def of(cls, told: Told, clocks: Clocks) -> "Found[Any]":
        """The event as it was told, on our clock."""
        return Found(told.event, clocks.instant(told.mark), told.place, told)
