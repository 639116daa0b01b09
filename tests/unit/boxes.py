"""Black boxes for tests: small ones, so that they fill and wrap at once."""

import os
from pathlib import Path

from kvtrace_connector.black_box import BlackBox

from kvtrace.black_box import COUNTERS_AT, HEADER_SIZE, Counter, Layout
from kvtrace.events import Event, RegistrationQueued, RegistrationSent
from kvtrace.model import Role
from kvtrace.moments import Lost, News, Record
from kvtrace.sources.black_box import BlackBoxReader

FACTS = 8192
LEDGER_SLOTS = 32
RING_SLOTS = 64
SMALL = Layout(
    facts_size=FACTS,
    ledger_at=HEADER_SIZE + 2 * FACTS,
    ledger_slots=LEDGER_SLOTS,
    ring_at=HEADER_SIZE + 2 * FACTS + LEDGER_SLOTS * 1024,
    ring_slots=RING_SLOTS,
)


def small_box(directory: Path) -> tuple[BlackBox, int]:
    """A box that holds 64 short events, and its one origin: rank 0 of a consumer called `d`."""
    box = BlackBox(directory, SMALL)
    return box, box.origin("d", Role.CONSUMER, 0)


def queued(request: str = "r1") -> Event:
    """Opens a half."""
    return RegistrationQueued(request=request, producer="p")


def sent(request: str = "r1", peer_rank: int = 0) -> Event:
    """Belongs to a half, if it is open."""
    return RegistrationSent(request=request, producer="p", peer_rank=peer_rank)


def records(news: list[News]) -> list[Record]:
    return [it for it in news if isinstance(it, Record)]


def read(path: Path) -> list[News]:
    """All that a reader who comes now is told, and that it then has nothing to add."""
    reader = BlackBoxReader(path)
    news = reader.poll()
    news += reader.poll()
    assert not records(reader.poll())
    reader.close()
    return news


def seqs(news: list[News]) -> list[int]:
    return [it.seq for it in records(news)]


def lost(news: list[News]) -> Lost | None:
    return next((it for it in news if isinstance(it, Lost)), None)


def overwrite(path: Path, at: int, raw: bytes) -> None:
    """Damage the file."""
    opened = os.open(path, os.O_WRONLY)
    os.pwrite(opened, raw, at)
    os.close(opened)


def slot_at(number: int, layout: Layout = SMALL) -> int:
    """Where in the file the ring slot with that number is."""
    return layout.ring_at + number % layout.ring_slots * layout.ring_slot


def counter_at(which: int) -> int:
    return COUNTERS_AT + which * 8


__all__ = ["SMALL", "Counter"]
