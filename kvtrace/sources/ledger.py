"""The ledger's reader: all that its process told of the halves that are open."""

import os
from collections.abc import Iterator

from kvtrace.black_box import RECORD_SIZE, USED, Layout, Raw, unpack_record
from kvtrace.errors import WireError

_CHUNK = 1 << 19
"""Bytes copied at a time."""


def read_ledger(opened: int, layout: Layout) -> tuple[list[Raw], int]:
    """The records of open halves, and the number of slots that were damaged."""
    records: list[Raw] = []
    damaged = 0
    for number, slot in _slots(opened, layout):
        used = USED.unpack_from(slot)[0]
        if not used:
            continue
        if _walk(slot, used, layout, records):
            continue
        # Its process may have freed it, and begun to write another half, while it was copied.
        again = _copy(opened, layout, number, 1)
        used = USED.unpack_from(again)[0]
        if used and not _walk(memoryview(again), used, layout, records):
            damaged += 1
    return records, damaged


def _walk(slot: memoryview, used: int, layout: Layout, records: list[Raw]) -> bool:
    """Take the slot's records as far as they are whole; tell whether all of them are."""
    if used > layout.ledger_room:
        return False
    at = USED.size
    while at < used + USED.size:
        try:
            records.append(unpack_record(slot[at:]))
        except WireError:
            return False
        at += RECORD_SIZE + len(records[-1].payload)
    return True


def _slots(opened: int, layout: Layout) -> Iterator[tuple[int, memoryview]]:
    size = layout.ledger_slot
    step = max(1, _CHUNK // size)
    for first in range(0, layout.ledger_slots, step):
        count = min(step, layout.ledger_slots - first)
        chunk = memoryview(_copy(opened, layout, first, count))
        for index in range(count):
            yield first + index, chunk[index * size : (index + 1) * size]


def _copy(opened: int, layout: Layout, first: int, count: int) -> bytes:
    """That many slots; zeros where the file was cut off."""
    size = count * layout.ledger_slot
    at = layout.ledger_at + first * layout.ledger_slot
    return os.pread(opened, size, at).ljust(size, b"\0")
