"""How a black box is laid out: what its writer and its readers must agree on, byte by byte."""

import struct
import uuid
from collections.abc import Mapping
from pathlib import Path
from zlib import crc32

import msgspec

from kvtrace.errors import BlackBoxError, WireError
from kvtrace.model import SCHEDULER, Role

SUFFIX = ".kvbox"
MAGIC = b"KVTRACE\n"
MAJOR = 1
"""A reader refuses a greater one."""
MINOR = 0
"""A reader ignores it: a greater one only adds what may be passed over."""

NOBODY = 255
"""Stands for an origin or a thread that is not known."""

HEADER_SIZE = 4096
LARGEST = 1 << 28
"""No box is larger, whatever its header says, so that no reader is made to read for ever."""
COUNTERS_AT = 256
"""Far from the header proper, so that the one line of memory that changes holds nothing else."""

_HEADER = struct.Struct("<8sHHI16s64sQQQIIIIIIII")
_CRC = struct.Struct("<I")
_FACTS = struct.Struct("<IIQ")

SLOT = struct.Struct("<QHH")
"""Before each part in the ring: the slot's number, from 1 for ever, which part, of how many."""
RECORD = struct.Struct("<IQQQBBH")
"""After a record's CRC: its whole length, seq, monotonic and wall ns, thread, origin, flags."""
FIRST = struct.Struct("<QHHIIQQQBBH")
"""A ring slot's beginning, where it holds the first part: the two above with the CRC between."""
CRC = struct.Struct("<I")
SLOT_AND_CRC = struct.Struct("<QHHI")
"""What precedes, in the ring, the rest of a record that one slot takes."""
USED = struct.Struct("<Q")
"""Before each ledger slot: how many bytes of whole records follow."""

RECORD_SIZE = CRC.size + RECORD.size
LONGEST = 16384
"""A record of more bytes is shortened, or else counted as too long."""
SHORTENED = 1
"""Flag: texts were cut so that the record fits."""


class Counter:
    """Where in the counters (64-bit each) the writer keeps what."""

    SLOTS = 0
    """Ring slots written since the beginning."""
    LEDGER_FULL = 1
    """Events of halves that found no room in the ledger."""
    TOO_LONG = 2
    """Events that could not be recorded whole, nor shortened."""
    GIVEN_UP = 3
    """Halves that were given up to make room for others."""
    FACTS = 4
    """How often the facts were written."""
    COUNT = 5


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """Where the areas are, in bytes from the beginning, and how large."""

    facts_at: int = HEADER_SIZE
    facts_size: int = 65536
    """Of each of the two buffers."""
    ledger_at: int = HEADER_SIZE + 2 * 65536
    ledger_slot: int = 1024
    ledger_slots: int = 3072
    ring_at: int = HEADER_SIZE + 2 * 65536 + 3072 * 1024
    ring_slot: int = 320
    ring_slots: int = 15961

    @property
    def size(self) -> int:
        """Of the whole file."""
        return self.ring_at + self.ring_slots * self.ring_slot

    @property
    def ring_room(self) -> int:
        """Bytes of a record that one ring slot takes."""
        return self.ring_slot - SLOT.size

    @property
    def ledger_room(self) -> int:
        """Bytes of records that one ledger slot takes."""
        return self.ledger_slot - USED.size


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What a box says of itself, and never changes."""

    process: str
    """The process' uuid, 32 hex digits."""
    clock: str
    """The boot id that its monotonic clock belongs to."""
    pid: int
    at: int
    wall: int
    layout: Layout


class Origin(msgspec.Struct, frozen=True, array_like=True):
    """One connector half in the process: a scheduler, or a worker rank."""

    engine: str = ""
    role: Role | None = None
    rank: int = SCHEDULER
    started: bytes = b""
    """Its `process.started`, as a record like those in the ring; empty where there is none."""


class Facts(msgspec.Struct, frozen=True):
    """What records only point at, and what must outlive the ring."""

    threads: tuple[str, ...] = ()
    origins: tuple[Origin, ...] = ()
    stopped: str | None = None
    """Why the process said goodbye; None while it has not."""


def run_directory(environ: Mapping[str, str], uid: int) -> Path:
    """Where black boxes are: `KVTRACE_DIR`, or a directory in memory for each user."""
    given = environ.get("KVTRACE_DIR", "")
    return Path(given) if given else Path(f"/dev/shm/kvtrace-{uid}")


def pack_header(header: Header) -> bytes:
    """The header's bytes, with their CRC."""
    layout = header.layout
    packed = _HEADER.pack(
        MAGIC,
        MAJOR,
        MINOR,
        HEADER_SIZE,
        uuid.UUID(header.process).bytes,
        header.clock.encode()[:64],
        header.pid,
        header.at,
        header.wall,
        layout.facts_at,
        layout.facts_size,
        layout.ledger_at,
        layout.ledger_slot,
        layout.ledger_slots,
        layout.ring_at,
        layout.ring_slot,
        layout.ring_slots,
    )
    return packed + _CRC.pack(crc32(packed))


def unpack_header(raw: bytes, size: int) -> Header:
    """The header at the beginning of a file of this size.

    Raises BlackBoxError, with a message that lacks the file's name.
    """
    if raw[:8] != MAGIC or len(raw) < _HEADER.size + _CRC.size:
        raise BlackBoxError("is not a black box")
    found = _HEADER.unpack_from(raw)
    if found[1] > MAJOR:
        raise BlackBoxError(
            f"is of format {found[1]}, and this kvtrace reads up to {MAJOR}; update kvtrace"
        )
    if _CRC.unpack_from(raw, _HEADER.size)[0] != crc32(raw[: _HEADER.size]):
        raise BlackBoxError("has a damaged header; what it holds cannot be read")
    names = Layout.__struct_fields__
    layout = Layout(**dict(zip(names, found[9:], strict=True)))
    _check(layout, size)
    return Header(
        process=found[4].hex(),
        clock=found[5].rstrip(b"\0").decode(errors="replace"),
        pid=found[6],
        at=found[7],
        wall=found[8],
        layout=layout,
    )


def _check(layout: Layout, size: int) -> None:
    """Raise BlackBoxError where the areas overlap, are empty or do not end within the file."""
    ends = (
        COUNTERS_AT + Counter.COUNT * 8,
        layout.facts_at + 2 * layout.facts_size,
        layout.ledger_at + layout.ledger_slots * layout.ledger_slot,
        layout.size,
    )
    starts = (layout.facts_at, layout.ledger_at, layout.ring_at, size)
    fits = all(end <= start for end, start in zip(ends, starts, strict=True))
    slots = min(layout.ring_room, layout.ledger_room) > RECORD_SIZE and layout.ring_slots > 0
    sane = max(layout.size, layout.facts_size << 8, layout.ledger_slot << 12) <= LARGEST
    if not fits or not slots or not sane:
        raise BlackBoxError("ends before its header says; it was cut off or damaged")


def pack_facts(facts: Facts, generation: int) -> bytes:
    """One buffer of the facts area; how new it is follows its CRC and length."""
    packed = msgspec.msgpack.encode(facts)
    numbered = struct.pack("<IQ", len(packed), generation) + packed
    return _CRC.pack(crc32(numbered)) + numbered


def unpack_facts(buffers: tuple[bytes, bytes]) -> Facts | None:
    """The newer of the two buffers that is whole; None where neither is."""
    found = [whole for whole in map(_unpack_buffer, buffers) if whole is not None]
    return max(found, key=lambda it: it[0])[1] if found else None


def _unpack_buffer(raw: bytes) -> tuple[int, Facts] | None:
    if len(raw) < _FACTS.size:
        return None
    crc, length, generation = _FACTS.unpack_from(raw)
    end = _FACTS.size + length
    if end > len(raw) or crc32(raw[4:end]) != crc:
        return None
    try:
        return generation, msgspec.msgpack.decode(raw[_FACTS.size : end], type=Facts)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


class Raw(msgspec.Struct, frozen=True):
    """A record as it was found, before anything in it is looked up."""

    seq: int
    at: int
    wall: int
    thread: int
    origin: int
    payload: bytes | memoryview


def pack_record(head: tuple[int, int, int, int, int, int], payload: bytes) -> bytes:
    """The bytes of a record; the head is seq, at, wall, thread, origin, flags."""
    rest = RECORD.pack(RECORD_SIZE + len(payload), *head) + payload
    return CRC.pack(crc32(rest)) + rest


def unpack_record(raw: bytes | memoryview) -> Raw:
    """The record that begins these bytes.

    Raises WireError where it is not whole.
    """
    if len(raw) < RECORD_SIZE:
        raise WireError("a record is cut off")
    length, seq, at, wall, thread, origin, _flags = RECORD.unpack_from(raw, CRC.size)
    whole = raw[CRC.size : length]
    if not RECORD_SIZE <= length <= len(raw) or crc32(whole) != CRC.unpack_from(raw)[0]:
        raise WireError("a record is damaged")
    return Raw(seq, at, wall, thread, origin, whole[RECORD.size :])
