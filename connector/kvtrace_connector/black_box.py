"""The black box' writer: what happens to this process' transfers, in memory that outlives it."""

import os
import threading
import uuid
import weakref
from pathlib import Path
from time import monotonic_ns, time_ns
from zlib import crc32

import msgspec

from kvtrace.black_box import (
    COUNTERS_AT,
    CRC,
    LONGEST,
    NOBODY,
    RECORD,
    RECORD_SIZE,
    SHORTENED,
    SLOT,
    SLOT_AND_CRC,
    SUFFIX,
    Counter,
    Facts,
    Header,
    Layout,
    Origin,
    pack_header,
    run_directory,
)
from kvtrace.events import Event, ProcessStarted, ProcessStopped
from kvtrace.model import Role
from kvtrace.wire import pack
from kvtrace_connector import attic, box_file
from kvtrace_connector.fact_sheet import FactSheet
from kvtrace_connector.ledger import Ledger
from kvtrace_connector.shorten import shortened

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_SLOTS = COUNTERS_AT // 8 + Counter.SLOTS
_TOO_LONG = COUNTERS_AT // 8 + Counter.TOO_LONG

# Looked up once, since each look-up is a hundredth of what an event may cost.
_pack_record = RECORD.pack
_pack_first = SLOT_AND_CRC.pack
_SLOT_SIZE = SLOT.size


class BlackBox:
    """One process' file of what happened; threads may share it, and so may connector halves.

    A forked child leaves its parent's file alone and opens one of its own at its first event.
    """

    path: Path
    _seq: int
    _slot: int

    @classmethod
    def open(cls, directory: Path | None = None) -> "BlackBox":
        """A new black box in the directory, by default the user's run directory.

        Dead boxes that are old or too many are removed. Raises OSError.
        """
        return cls(directory or run_directory(os.environ, os.geteuid()))

    def __init__(self, directory: Path, layout: Layout | None = None) -> None:
        self._directory = directory
        self._layout = layout = layout or Layout()
        self._room = layout.ring_room
        self._ring_at = layout.ring_at
        self._ring_slot = layout.ring_slot
        self._ring_slots = layout.ring_slots
        self._long = layout.ledger_room - RECORD_SIZE
        self._origins: list[Origin] = []
        self._started: dict[int, ProcessStarted] = {}
        self._stopped: str | None = None
        self._forget()
        self._start()
        _living.add(self)

    def origin(self, engine: str, role: Role | None, rank: int) -> int:
        """The number under which that connector half records; the same for the same half."""
        with self._lock:
            for number, known in enumerate(self._origins):
                if (known.engine, known.role, known.rank) == (engine, role, rank):
                    return number
            if len(self._origins) == NOBODY:
                return NOBODY
            self._origins.append(Origin(engine, role, rank))
            self._write_facts()
            return len(self._origins) - 1

    def describe(self, origin: int, started: ProcessStarted) -> None:
        """Record what is true of the origin's process, and keep it for as long as the box."""
        with self._lock:
            self._started[origin] = started
            before = self._seq
            self.record(started, origin)
            if self._seq > before and origin < len(self._origins):
                known = self._origins[origin]
                self._origins[origin] = msgspec.structs.replace(known, started=self._newest)
                self._write_facts()

    def record(self, event: Event, origin: int) -> None:
        """Write the event down, in about a microsecond; once the box is closed, nothing."""
        flags = 0
        try:
            payload = pack(event)
        except (UnicodeEncodeError, OverflowError, TypeError):
            payload, flags = pack(shortened(event)), SHORTENED
        if len(payload) > self._long:
            payload, flags = self._fitted(event, payload)
        size = RECORD_SIZE + len(payload)
        # Nothing quicker than `with` lets go when a signal raises just after it took the lock.
        with self._lock:
            if not (self._open or self._reopen()) or not payload:
                return
            try:
                thread = self._local.number
            except AttributeError:
                thread = self._meet_thread()
            seq = self._seq = self._seq + 1
            at = monotonic_ns()
            rest = _pack_record(size, seq, at, time_ns(), thread, origin, flags) + payload
            crc = crc32(rest)
            if size <= self._room:
                slot = self._slot = self._slot + 1
                start = self._ring_at + slot % self._ring_slots * self._ring_slot
                whole = _pack_first(slot, 0, 1, crc) + rest
                self._memory[start : start + _SLOT_SIZE + size] = whole
                self._newest = record = whole[_SLOT_SIZE:]
            else:
                self._newest = record = self._write_parts(CRC.pack(crc) + rest)
            # Only now may readers look; what a signal's own event wrote meanwhile counts too.
            self._words[_SLOTS] = self._slot
            self._ledger.take(event, origin, record, at)

    def close(self, reason: str) -> None:
        """Say goodbye, and let go of the file, which stays."""
        with self._lock:
            self._stopped = reason
            if self._open:
                self.record(ProcessStopped(reason=reason), 0 if self._origins else NOBODY)
                self._write_facts()
                self._let_go()

    def _fitted(self, event: Event, payload: bytes) -> tuple[bytes, int]:
        """The payload, shortened where it would fit neither ledger nor ring; empty for never."""
        whole = bool(event.request or getattr(event, "remote_request", ""))
        longest = self._long if whole else LONGEST - RECORD_SIZE
        if len(payload) <= longest:
            return payload, 0
        payload = pack(shortened(event))
        if len(payload) <= LONGEST - RECORD_SIZE:
            return payload, SHORTENED
        with self._lock:
            if self._open:
                self._words[_TOO_LONG] += 1
        return b"", 0

    def _write_parts(self, record: bytes) -> bytes:
        room = self._room
        parts = -(-len(record) // room)
        first = self._slot + 1
        self._slot += parts
        for part in range(parts):
            start = self._ring_at + (first + part) % self._ring_slots * self._ring_slot
            slot = SLOT.pack(first + part, part, parts) + record[part * room : (part + 1) * room]
            self._memory[start : start + len(slot)] = slot
        return record

    def _meet_thread(self) -> int:
        """The number of the calling thread's name; NOBODY where too many have been met."""
        name = threading.current_thread().name[:64].encode(errors="replace").decode()
        if name not in self._threads and len(self._threads) < NOBODY:
            self._threads.append(name)
            self._write_facts()
        number = self._threads.index(name) if name in self._threads else NOBODY
        self._local.number = number
        return number

    def _write_facts(self) -> None:
        if self._open or self._reopen():
            facts = Facts(tuple(self._threads), tuple(self._origins), self._stopped)
            self._sheet.write(facts)

    def _start(self) -> None:
        process = uuid.uuid4().hex
        clock = _BOOT_ID.read_text().strip()
        private = self._directory == run_directory({}, os.geteuid())
        directory = box_file.open_directory(self._directory, private=private)
        try:
            attic.clean(directory, time_ns())
            memory = box_file.create(directory, process + SUFFIX, self._layout.size)
        finally:
            os.close(directory)
        self.path = self._directory / (process + SUFFIX)
        self._memory = memory
        self._words = memoryview(memory).cast("Q")
        self._ledger = Ledger(memory, self._words, self._layout)
        self._sheet = FactSheet(memory, self._words, self._layout)
        packed = pack_header(
            Header(
                process=process,
                clock=clock,
                pid=os.getpid(),
                at=monotonic_ns(),
                wall=time_ns(),
                layout=self._layout,
            )
        )
        memory[8 : len(packed)] = packed[8:]
        # The magic comes last: a reader that finds it finds all the rest, and the lock held.
        memory[:8] = packed[:8]
        self._open = True

    def _reopen(self) -> bool:
        """Whether there is a file now: the closed stay closed, a forked child gets its own."""
        if self._stopped is not None:
            return False
        self._start()
        self._origins = [Origin(it.engine, it.role, it.rank) for it in self._origins]
        self._write_facts()
        for origin, started in self._started.items():
            self.describe(origin, started)
        return True

    def _let_go(self) -> None:
        self._open = False
        self._words.release()
        self._memory.close()

    def _forget(self) -> None:
        """Make all new that must not be shared with a forked child."""
        self._lock = threading.RLock()
        self._local = threading.local()
        self._threads: list[str] = []
        self._newest = b""
        self._seq = 0
        self._slot = 0
        self._open = False

    def _leave_to_parent(self) -> None:
        """Unmap the parent's file, whose lock would else outlive the parent in this child."""
        if self._open:
            self._let_go()
        self._forget()


_living: "weakref.WeakSet[BlackBox]" = weakref.WeakSet()


def _leave_boxes_to_parent() -> None:
    for box in list(_living):
        box._leave_to_parent()


os.register_at_fork(after_in_child=_leave_boxes_to_parent)
