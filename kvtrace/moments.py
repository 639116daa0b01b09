"""What sources yield and recordings keep: what time it is here, and what arrived, if anything."""

from typing import Literal, TypeAlias

import msgspec

from kvtrace.events import AnyEvent
from kvtrace.model import SCHEDULER, Role


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """An event as one process recorded it: who said it, when by its clocks, and what.

    (process, seq) is the key for de-duplication, everywhere.
    """

    process: str
    """The process' uuid, 32 hex digits."""

    seq: int
    """Counts the process' events from 1."""

    at: int
    """Nanoseconds of the process' monotonic clock."""

    wall: int
    """Nanoseconds since the epoch by the process' wall clock."""

    clock: str
    """The boot id that `at` belongs to."""

    engine: str
    role: Role | None
    """Whose half it belongs to, or the engine's only role; None where it can be either."""

    rank: int = SCHEDULER
    thread: str = ""
    event: AnyEvent


class Lost(msgspec.Struct, frozen=True, kw_only=True):
    """What a source knows that it, or the process it reads, did not pass on; each adds up."""

    process: str = ""
    overwritten: int = 0
    """Events that the ring had overwritten before they were read."""

    unreadable: int = 0
    """Slots or lines that were damaged, and events too long to be written."""

    unknown: int = 0
    """Events of a kind that a newer kvtrace wrote."""

    ledger_full: int = 0
    """Events that found no room in the ledger, so that a later reader may miss them."""

    refused: int = 0
    """Events that an agent read, and that the endpoint it sends to did not take."""

    turned_away: int = 0
    """Requests that a receiver did not take; their senders know, and may send them again."""

    foreign: int = 0
    """Log records and spans of others, which a receiver passed over: no loss, but none of ours."""

    teller: str = ""
    """The agent that tells it, where it may tell it twice; empty where nobody else heard it."""

    number: int = 0
    """Counts from 1 what the teller told: (teller, number) is the key for de-duplication."""

    @property
    def counts(self) -> dict[str, int]:
        """All that adds up, by name."""
        return {name: getattr(self, name) for name in self.__struct_fields__ if name not in _KEYS}

    @property
    def is_loss(self) -> bool:
        """Whether anything of ours was not passed on."""
        return any(count for name, count in self.counts.items() if name != "foreign")


_KEYS = frozenset(("process", "teller", "number"))
"""What tells one Lost from another."""


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """A process is gone: its liveness lock is free."""

    process: str
    goodbye: bool
    """Whether it said so itself; otherwise it was killed, or crashed."""


class Watched(msgspec.Struct, frozen=True, kw_only=True):
    """Who watches a process saw it, so that silence after it means that nobody tells of it."""

    process: str
    state: Literal["running", "frozen"]
    """`frozen` where it was stopped (SIGSTOP) and has not been let go on."""


News: TypeAlias = Record | Lost | Ended | Watched


class Moment(msgspec.Struct, frozen=True):
    """What time it is here, and what arrived; with no news, only that time passed."""

    at: int
    """Nanoseconds of our own monotonic clock."""

    news: News | None = None
