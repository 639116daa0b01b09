"""The ledger's writer: keeps what was told of every open half where traffic cannot overwrite it."""

from mmap import mmap

from kvtrace.black_box import COUNTERS_AT, USED, Counter, Layout
from kvtrace.events import (
    AnyEvent,
    BlocksReady,
    BlocksReleased,
    Event,
    LeaseExpired,
    MatchMade,
    ReceiveReported,
    RegistrationSkipped,
    RequestFinished,
    RequestResumed,
    SendReported,
    closes,
)

MAY_CLOSE: frozenset[type[Event]] = frozenset(
    {
        RequestResumed,
        RegistrationSkipped,
        ReceiveReported,
        BlocksReleased,
        SendReported,
        LeaseExpired,
        RequestFinished,
        BlocksReady,
    }
)
"""The kinds that `closes` can be true of: asking by type first is ten times as fast."""

_TURNS = MAY_CLOSE | {MatchMade}

_LEDGER_FULL = COUNTERS_AT // 8 + Counter.LEDGER_FULL
_GIVEN_UP = COUNTERS_AT // 8 + Counter.GIVEN_UP

MOST_SLOTS = 16
"""Of one half, so that one that talks for ever leaves room for others."""

_PAUSE = 1_000_000_000
"""Nanoseconds between two looks for halves that old, which cost too much to look at each event."""

FORGOTTEN_AFTER = 3_600_000_000_000
"""Nanoseconds. Where there is no room, halves older than this are given up for new ones."""


class _Half:
    __slots__ = ("at", "begin", "end", "opened", "slots", "used")

    def __init__(self, opened: int) -> None:
        self.slots: list[int] = []
        """Each by the word that it begins with, which says how much of it is used."""
        self.begin = self.at = self.end = 0
        """Where the records of its last slot begin, where the next goes, and where they end."""
        self.used = 0
        """Its last slot."""

        self.opened = opened


class Ledger:
    """The open halves of one process, each in slots of its own.

    It locks nothing: whoever calls holds the black box' lock.
    """

    def __init__(self, memory: mmap, words: "memoryview[int]", layout: Layout) -> None:
        self._memory = memory
        self._words = words
        self._room = layout.ledger_room
        self._slots = layout.ledger_slots
        starts = range(layout.ledger_at, layout.ring_at, layout.ledger_slot)[: self._slots]
        self._unused = [start // 8 for start in reversed(starts)]
        self._open: list[dict[str, _Half]] = [{} for _ in range(256)]
        self._noticed: dict[tuple[int, str], _Half] = {}
        self._noticed_slots = 0
        self._full_until = 0

    def take(self, event: Event, origin: int, record: bytes, at: int) -> None:
        """Keep the record if its half is open or opens with it; free the half if it closes."""
        request = event.request
        if not request:
            self._take_unnamed(event, origin, record, at)
            return
        half = self._open[origin].get(request)
        if type(event) in _TURNS:
            half = self._turn(event, origin, half)
        if half is not None:
            size = len(record)
            begin = half.at
            end = begin + size
            if end > half.end:
                self._append(half, record, at)
                return
            # As in `_append`, since a call for most events would cost as much as this. From
            # `begin` on nothing is called, so no signal with an event of its own comes between.
            self._memory[begin:end] = record
            half.at = end
            self._words[half.used] = end - half.begin
        elif event.opens:
            half = _Half(at)
            if self._append(half, record, at):
                self._open[origin][request] = half

    def _append(self, half: _Half, record: bytes, at: int) -> bool:
        size = len(record)
        if half.at + size > half.end and not self._extend(half, size, at):
            self._words[_LEDGER_FULL] += 1
            return False
        end = half.at + size
        self._memory[half.at : end] = record
        half.at = end
        self._words[half.used] = end - half.begin
        return True

    def _turn(self, event: Event, origin: int, half: _Half | None) -> _Half | None:
        """The half, where it goes on; what was told under the consumer's id moves into it."""
        halves = self._open[origin]
        if type(event) is not MatchMade:
            closing: AnyEvent = event  # type: ignore[assignment]  # AnyEvent is all there is
            if half is None or not closes(closing):
                return half
            del halves[event.request]
            self._free(half)
            return None
        noticed = self._noticed.pop((origin, event.remote_request), None)
        if noticed is None:
            return half
        self._noticed_slots -= len(noticed.slots)
        if half is None:
            halves[event.request] = noticed
            return noticed
        half.slots[:0] = noticed.slots
        return half

    def _take_unnamed(self, event: Event, origin: int, record: bytes, at: int) -> None:
        """Keep what only the consumer's id is known of, until a match names the half."""
        remote = getattr(event, "remote_request", "")
        if not remote:
            return
        half = self._noticed.get((origin, remote)) or _Half(at)
        before = len(half.slots)
        if not (before or event.opens) or not self._append(half, record, at):
            return
        self._noticed[origin, remote] = half
        self._noticed_slots += len(half.slots) - before
        while self._noticed_slots > self._slots // 2:
            self._give_up(next(iter(self._noticed)))

    def _extend(self, half: _Half, size: int, at: int) -> bool:
        """Whether the half has a slot that takes so many bytes."""
        if size > self._room or len(half.slots) >= MOST_SLOTS:
            return False
        if not self._unused and not self._make_room(half, at):
            return False
        half.used = slot = self._unused.pop()
        half.slots.append(slot)
        half.begin = half.at = begin = slot * 8 + USED.size
        half.end = begin + self._room
        return True

    def _make_room(self, asking: _Half, at: int) -> bool:
        """Give up the oldest other halves, where they are so old that nothing waits for them."""
        if at < self._full_until:
            return False
        self._full_until = at + _PAUSE
        for halves in self._open:
            # One that is given up must get no slot after that: nobody would ever free it.
            request = next((name for name, half in halves.items() if half is not asking), None)
            if request is not None and at - halves[request].opened > FORGOTTEN_AFTER:
                self._free(halves.pop(request))
                self._words[_GIVEN_UP] += 1
        return bool(self._unused)

    def _give_up(self, key: tuple[int, str]) -> None:
        half = self._noticed.pop(key)
        self._noticed_slots -= len(half.slots)
        self._free(half)
        self._words[_GIVEN_UP] += 1

    def _free(self, half: _Half) -> None:
        for slot in half.slots:
            self._words[slot] = 0
        self._unused += half.slots
