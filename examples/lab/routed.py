"""What the router saw of each request: one record, kept in memory and written as a JSON line."""

import time
from collections import deque
from pathlib import Path
from typing import Literal

import msgspec

Outcome = Literal["answered", "producer failed", "consumer failed", "client gone"]

KEPT = 10_000
"""Records held in memory; the file has all."""


class Instant(msgspec.Struct, frozen=True):
    """A point in time by both clocks, in nanoseconds."""

    monotonic: int
    wall: int


class Leg(msgspec.Struct, kw_only=True):
    """One leg, filled in as it goes: the one record here that changes."""

    role: Literal["P", "D", ""] = ""
    """Empty in records of before it was told."""
    request_id: str = ""
    """The router's; empty likewise."""
    engine_id: str = ""
    sent: Instant | None = None
    first_byte: Instant | None = None
    answered: Instant | None = None
    status: int | None = None
    tokens: int | None = None
    """Answered by the engine, where its answer says."""
    error: str | None = None

    @property
    def failed(self) -> bool:
        """Whether the engine refused, or could not be talked to."""
        return self.error is not None or (self.status is not None and self.status >= 400)


class Routed(msgspec.Struct, frozen=True, kw_only=True):
    """One request as the router saw it."""

    request_id: str
    trace_id: str
    prompt_tokens: int | None
    max_tokens: int | None
    outcome: Outcome
    producer: Leg
    consumer: Leg


class RouterLog:
    """The last requests that ended; every one of them also goes to a file, if one is given."""

    def __init__(self, file: Path | None = None) -> None:
        self.records: deque[Routed] = deque(maxlen=KEPT)
        self._file = file

    def add(self, routed: Routed) -> None:
        """Keep a record."""
        self.records.append(routed)
        if self._file is not None:
            with self._file.open("ab") as file:
                file.write(msgspec.json.encode(routed) + b"\n")

    def find(self, request_id: str) -> Routed:
        """Return the last record of a request.

        Raises:
            KeyError: if there is none.
        """
        for routed in reversed(self.records.copy()):
            if routed.request_id == request_id:
                return routed
        raise KeyError(request_id)


def read(file: Path) -> list[Routed]:
    """Read what was written as JSON lines."""
    return [msgspec.json.decode(line, type=Routed) for line in file.read_bytes().splitlines()]


def now() -> Instant:
    """Read both clocks."""
    return Instant(time.monotonic_ns(), time.time_ns())
