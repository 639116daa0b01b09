"""Halves and transfers: all that is known of one, alike in any order of arrival.

They are trees of frozen values and can hold no cycle, so the garbage collector passes them
over; there are a million of them in a busy fleet.
"""

from typing import TypeAlias

import msgspec

from kvtrace.events import AnyEvent
from kvtrace.model import Mark, Place, Role

MarkKey: TypeAlias = tuple[str, str, int, int, int]
"""Kind, process, rank, peer rank, ordinal."""


class Told(msgspec.Struct, frozen=True, gc=False):
    """One event of a half: where, when and what."""

    place: Place
    mark: Mark
    event: AnyEvent
    process: str
    seq: int


class Half(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What one engine knows of a request."""

    engine: str
    role: Role
    request: str
    """The engine-local id; on a producer that only holds a registration, the consumer's id."""

    base: str
    """The id without what the engine added; the provisional join key."""

    told: dict[MarkKey, Told]
    """Never changed in place."""

    ranks: int = 0
    """Worker ranks of the engine, as its processes told; 0 where they did not."""


class Transfer(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One request's KV cache on its way from a producer to a consumer."""

    id: str
    """Stable for as long as we know it."""

    producer: Half | None = None
    consumer: Half | None = None
    joined: str = ""
    """How the halves were joined.

    `match` (the producer named both ids), `registration` (the producer named the consumer's),
    `base id` (only alike), or empty while there is only one.
    """

    rivals: tuple[str, ...] = ()
    """Local ids of other halves that could as well be the counterpart."""
