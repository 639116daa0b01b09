"""The ring's reader: the records written since the last look, and how many slots were damaged."""

import os
from zlib import crc32

from kvtrace.black_box import (
    CRC,
    FIRST,
    LONGEST,
    RECORD,
    RECORD_SIZE,
    SLOT,
    Counter,
    Layout,
    Raw,
    unpack_record,
)
from kvtrace.errors import WireError
from kvtrace.glance import read_counters

_CHUNK = 4096
"""Ring slots copied at a time."""

_FRESH = 8
"""So many of the newest slots may not have arrived from another core when their number has."""


class Ring:
    """Follows the ring of one box by the numbers of its slots."""

    def __init__(self, opened: int, layout: Layout) -> None:
        self._opened = opened
        self._layout = layout
        self._most_parts = LONGEST // layout.ring_room + 1
        self._next = 1
        self._doubted = 0
        self.damaged = 0
        """Slots, so far, that could not be read though nothing had overwritten them."""

    def behind(self, written: int) -> bool:
        """Whether some of so many written slots were overwritten before they were read."""
        return written - self._next >= self._layout.ring_slots

    def read(self, written: int, *, living: bool) -> list[Raw]:
        """The records in slots up to that number; a living writer's newest get a second chance."""
        records: list[Raw] = []
        settled = written - _FRESH if living else written
        self._next = max(self._next, written - self._layout.ring_slots + 1)
        while self._next <= written:
            count = min(_CHUNK, written - self._next + 1)
            chunk = memoryview(self._copy(self._next, count))
            self._count(self._walk(chunk, count, settled, records))
            if self._next == self._doubted:
                break
        return records

    def _walk(self, chunk: memoryview, count: int, settled: int, records: list[Raw]) -> list[int]:
        """Take the records out of the chunk; tell which slots held none."""
        size, room = self._layout.ring_slot, self._layout.ring_room
        first, bad, i = self._next, [], 0
        while i < count:
            at, expected = i * size, self._next + i
            found = FIRST.unpack_from(chunk, at)
            number, part, parts, crc, length, seq, when, wall, thread, origin, _flags = found
            if number == expected and parts == 1 and part == 0 and RECORD_SIZE <= length <= room:
                whole = chunk[at + SLOT.size + CRC.size : at + SLOT.size + length]
                if crc32(whole) == crc:
                    records.append(Raw(seq, when, wall, thread, origin, whole[RECORD.size :]))
                    i += 1
                    continue
            if number == expected and part == 0 and i and i + parts > count:
                break
            taken = self._take(chunk[at:], expected, records)
            if taken == 0 and expected > settled and expected > self._doubted:
                self._doubted = expected
                break
            if taken == 0:
                bad.append(expected)
            i += taken or 1
        self._next = first + i
        return bad

    def _take(self, view: memoryview, expected: int, records: list[Raw]) -> int:
        """How many slots the record takes, or 1 for what is passed over; 0 if it is damaged."""
        number, part, parts = SLOT.unpack_from(view)
        if number != expected:
            overwritten = number > expected and (number - expected) % self._layout.ring_slots == 0
            return int(overwritten)
        if part:
            # The record's beginning was overwritten, or damaged and so counted already.
            return int(part < parts)
        if not 1 < parts <= self._most_parts or len(view) < parts * self._layout.ring_slot:
            return 0
        try:
            records.append(unpack_record(self._join(view, expected, parts)))
        except WireError:
            return 0
        return int(parts)

    def _join(self, view: memoryview, first: int, parts: int) -> bytes:
        size = self._layout.ring_slot
        record = bytearray()
        for part in range(parts):
            slot = view[part * size : (part + 1) * size]
            if SLOT.unpack_from(slot) != (first + part, part, parts):
                raise WireError("a part of a record is missing")
            record += slot[SLOT.size :]
        return bytes(record)

    def _count(self, bad: list[int]) -> None:
        """Count the damaged, but for those that the writer was just about to overwrite."""
        if bad:
            written = read_counters(self._opened)[Counter.SLOTS]
            lapped = written - self._layout.ring_slots + _FRESH
            self.damaged += sum(number > lapped for number in bad)

    def _copy(self, first: int, count: int) -> bytes:
        """That many slots; zeros where the file was cut off."""
        slots = self._layout.ring_slots
        index = first % slots
        straight = min(count, slots - index)
        found = self._pread(index, straight)
        return found + self._pread(0, count - straight) if straight < count else found

    def _pread(self, index: int, count: int) -> bytes:
        size = count * self._layout.ring_slot
        at = self._layout.ring_at + index * self._layout.ring_slot
        return os.pread(self._opened, size, at).ljust(size, b"\0")
