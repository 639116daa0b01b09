"""The reader of one black box, while it is written and after its process is gone."""

import os
from pathlib import Path

from kvtrace.black_box import Counter, Facts, Origin, Raw, unpack_record
from kvtrace.errors import BlackBoxError, UnknownKindError, WireError
from kvtrace.events import Event
from kvtrace.glance import held, newest, open_box, read_counters, read_facts, read_header
from kvtrace.model import Role
from kvtrace.moments import Ended, Lost, News, Record
from kvtrace.sources.ledger import read_ledger
from kvtrace.sources.ring import Ring
from kvtrace.wire import unpack


class BlackBoxReader:
    """Follows one black box; it only ever reads, so any number may follow the same one."""

    def __init__(self, path: Path) -> None:
        """Open the box; raises BlackBoxError where it cannot be read, or is none."""
        self.path = path
        try:
            self._opened = open_box(path)
        except OSError as error:
            raise BlackBoxError(f"{path}: cannot be opened ({error.strerror})") from error
        try:
            self.header = read_header(self._opened)
        except (BlackBoxError, OSError) as error:
            self.close()
            raise BlackBoxError(f"{path}: {error}") from error
        self.ended = False
        """Whether the process is gone and all it left has been read."""
        self.before = 0
        """Events that were overwritten before the first look; of open halves, none is missing."""
        self._facts = Facts()
        self._ring = Ring(self._opened, self.header.layout)
        self._counters = (0,) * Counter.COUNT
        self._seq = 0
        self._first = True
        self._damaged = 0
        self._unexplained = 0

    @property
    def living(self) -> bool:
        """Whether the process that writes it is there."""
        return held(self._opened)

    @property
    def wall(self) -> int:
        """When the process last wrote, by its wall clock."""
        return newest(self._opened, self.header) or self.header.wall

    def close(self) -> None:
        """Let go of the file."""
        if self._opened >= 0:
            os.close(self._opened)
            self._opened = -1

    def poll(self) -> list[News]:
        """What is new since the last poll: records in order, then losses, then the end.

        The first poll tells what is known of halves still open, however long ago they began, and
        what the ring still holds. Raises BlackBoxError where the file can no longer be read.
        """
        if self.ended:
            return []
        try:
            return self._poll()
        except OSError as error:
            raise BlackBoxError(f"{self.path}: cannot be read ({error.strerror})") from error

    def _poll(self) -> list[News]:
        living = held(self._opened)
        counters = read_counters(self._opened)
        kept: list[Raw] = []
        damaged = 0
        if self._first or self._ring.behind(counters[Counter.SLOTS]):
            kept, damaged = self._read_kept()
            # Whatever the ledger told is in the ring by now, if it was not there already.
            counters = read_counters(self._opened)
        if counters[Counter.FACTS] != self._counters[Counter.FACTS]:
            self._facts = read_facts(self._opened, self.header) or self._facts
        raws = self._ring.read(counters[Counter.SLOTS], living=living)
        if not kept and raws and raws[-1].seq - self._seq > len(raws):
            # The writer was faster than this look.
            kept, damaged = self._read_kept()
        damaged += self._newly_damaged()
        overwritten = self._merge(raws, kept, counters[Counter.SLOTS])
        news, unknown, broken = self._records(raws)
        lost = Lost(
            process=self.header.process,
            overwritten=overwritten,
            unreadable=damaged + broken + self._more(counters, Counter.TOO_LONG),
            unknown=unknown,
            ledger_full=self._more(counters, Counter.LEDGER_FULL),
        )
        if lost != Lost(process=self.header.process):
            news.append(lost)
        if not living:
            self.ended = True
            goodbye = self._facts.stopped is not None
            news.append(Ended(process=self.header.process, goodbye=goodbye))
        self._counters = counters
        self._first = False
        return news

    def _read_kept(self) -> tuple[list[Raw], int]:
        """What facts and ledger hold besides the ring, and how many ledger slots are damaged."""
        self._facts = read_facts(self._opened, self.header) or self._facts
        kept, damaged = read_ledger(self._opened, self.header.layout)
        for origin in self._facts.origins:
            try:
                kept.append(unpack_record(origin.started))
            except WireError:
                continue
        return kept, damaged

    def _merge(self, raws: list[Raw], kept: list[Raw], written: int) -> int:
        """Put what is kept among the ring's records, all of them new; count those missing."""
        whole = self._first and written <= self.header.layout.ring_slots
        ring = {raw.seq: raw for raw in raws if raw.seq > self._seq}
        newest = max(ring, default=0)
        base = self._seq if whole or not self._first else min(ring, default=1) - 1
        found = {it.seq: it for it in kept if self._seq < it.seq <= (newest or it.seq)} | ring
        raws[:] = [found[seq] for seq in sorted(found)]
        if not raws:
            return 0
        within = sum(seq > base for seq in found)
        missing = raws[-1].seq - base - within
        self.before += base - self._seq - (len(found) - within)
        self._seq = raws[-1].seq
        return self._blame(max(0, missing))

    def _blame(self, missing: int) -> int:
        """How many of the missing were overwritten, and not in slots that were damaged."""
        damaged = self._ring.damaged - self._unexplained
        self._unexplained = self._ring.damaged
        return max(0, missing - damaged)

    def _newly_damaged(self) -> int:
        """Slots of the ring found damaged since the last poll."""
        newly = self._ring.damaged - self._damaged
        self._damaged = self._ring.damaged
        return newly

    def _more(self, counters: tuple[int, ...], which: int) -> int:
        return max(0, counters[which] - self._counters[which])

    def _records(self, raws: list[Raw]) -> tuple[list[News], int, int]:
        """The records; how many are of unknown kind; how many are no events at all."""
        news: list[News] = []
        unknown = broken = 0
        for raw in raws:
            try:
                news.append(self._record(raw))
            except UnknownKindError:
                unknown += 1
            except WireError:
                broken += 1
        return news, unknown, broken

    def _record(self, raw: Raw) -> Record:
        event = unpack(raw.payload)
        origins, threads = self._facts.origins, self._facts.threads
        origin = origins[raw.origin] if raw.origin < len(origins) else _UNKNOWN
        return Record(
            process=self.header.process,
            seq=raw.seq,
            at=raw.at,
            wall=raw.wall,
            clock=self.header.clock,
            engine=origin.engine,
            role=_role(event, origin),
            rank=origin.rank,
            thread=threads[raw.thread] if raw.thread < len(threads) else "",
            event=event,
        )


_UNKNOWN = Origin()


def _role(event: Event, origin: Origin) -> Role | None:
    """The event's own, or the side a handshake is on, or else the origin's."""
    if event.role is not None:
        return event.role
    side = getattr(event, "side", "")
    return Role(side) if side in ("P", "D") else origin.role
