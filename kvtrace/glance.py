"""What one look at a black box tells: its header, its facts, how new it is, and if it is held."""

import contextlib
import fcntl
import os
import stat
import struct
from pathlib import Path

import msgspec

from kvtrace.black_box import (
    COUNTERS_AT,
    FIRST,
    HEADER_SIZE,
    Counter,
    Facts,
    Header,
    unpack_facts,
    unpack_header,
)
from kvtrace.errors import BlackBoxError

_COUNTERS = struct.Struct(f"<{Counter.COUNT}Q")


class Glance(msgspec.Struct, frozen=True):
    """A black box at one look."""

    header: Header
    facts: Facts
    wall: int
    """When its newest event was recorded, or else when it was opened, by the wall clock."""


def open_box(path: str | Path, directory: int | None = None) -> int:
    """A descriptor to read the file by; the caller closes it.

    Never follows a link, never waits. Raises OSError, BlackBoxError where it is no plain file.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    opened = os.open(path, flags, dir_fd=directory)
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise BlackBoxError(f"{path}: is not a plain file")
    return opened


def read_header(opened: int) -> Header:
    """The header; raises BlackBoxError, OSError."""
    return unpack_header(os.pread(opened, HEADER_SIZE, 0), os.fstat(opened).st_size)


def read_counters(opened: int) -> tuple[int, ...]:
    """The counters, by their numbers in Counter; all zero where the file ends before them."""
    raw = os.pread(opened, _COUNTERS.size, COUNTERS_AT)
    return _COUNTERS.unpack(raw) if len(raw) == _COUNTERS.size else (0,) * Counter.COUNT


def read_facts(opened: int, header: Header) -> Facts | None:
    """The facts; None where there are none yet, or both buffers are damaged."""
    size = header.layout.facts_size
    at = header.layout.facts_at
    return unpack_facts((os.pread(opened, size, at), os.pread(opened, size, at + size)))


def glance(opened: int) -> Glance:
    """The box at one look; raises BlackBoxError, OSError."""
    header = read_header(opened)
    facts = read_facts(opened, header) or Facts()
    return Glance(header, facts, newest(opened, header) or header.wall)


def held(opened: int) -> bool:
    """Whether the process that writes the box still lives.

    To be asked only of a box that has its header: before, it would disturb the opening.
    """
    try:
        fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(opened, fcntl.LOCK_UN)
    return False


def newest(opened: int, header: Header) -> int:
    """When the newest record in the ring was written, by the wall clock; 0 where none is whole."""
    layout = header.layout
    number = read_counters(opened)[Counter.SLOTS]
    with contextlib.suppress(struct.error):
        for _ in range(2):
            at = layout.ring_at + number % layout.ring_slots * layout.ring_slot
            first = FIRST.unpack(os.pread(opened, FIRST.size, at))
            if first[0] != number:
                break
            if first[1] == 0:
                return int(first[7])
            number -= first[1]
    return 0
