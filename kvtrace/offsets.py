"""How far apart the clocks of several hosts are, from handshakes and from messages."""

from collections import deque
from typing import TypeVar

import msgspec

from kvtrace.clocks import Clocks, Offset
from kvtrace.engines import Engines
from kvtrace.events import HandshakeFinished
from kvtrace.moments import Record
from kvtrace.steps import earliest
from kvtrace.transfer import Half, Transfer

MOST_CLOCKS = 1_024
"""Clocks that are compared with ours."""

MOST_PAIRS = 8_192
"""Pairs of clocks, each both ways, and handshakes with engines not heard of yet."""

T = TypeVar("T")
K = TypeVar("K")


class Bounds(msgspec.Struct, frozen=True):
    """What one clock shows less what another shows at the same instant, in nanoseconds."""

    low: int | None = None
    high: int | None = None

    def narrowed(self, by: "Bounds") -> "Bounds":
        """Both bounds together; the newer ones alone where they contradict, as clocks drift."""
        lows = [low for low in (self.low, by.low) if low is not None]
        highs = [high for high in (self.high, by.high) if high is not None]
        low, high = max(lows, default=None), min(highs, default=None)
        if low is not None and high is not None and low > high:
            return by
        return Bounds(low, high)

    @property
    def offset(self) -> Offset | None:
        """The middle and half the width; None where a side is open."""
        if self.low is None or self.high is None:
            return None
        return Offset((self.low + self.high) // 2, (self.high - self.low + 1) // 2)


class Offsets:
    """What was heard of each pair of clocks, and of each clock against ours."""

    def __init__(self, ours: str) -> None:
        self.ours = ours
        self._between: dict[tuple[str, str], Bounds] = {}
        self._apparent: dict[str, int] = {}
        self._handshakes: dict[tuple[str, str], HandshakeFinished] = {}
        self._known: Clocks | None = None

    def hear(self, record: Record, seen: int) -> None:
        """Take in what a record says of clocks: a handshake, and how late we saw it at most."""
        if record.clock != self.ours:
            apparent = seen - record.at
            known = self._apparent.get(record.clock)
            if known is None or apparent < known:
                _keep(self._apparent, record.clock, apparent, MOST_CLOCKS)
                self._known = None
        event = record.event
        if type(event) is HandshakeFinished and event.clock_offset is not None:
            _keep(self._handshakes, (record.clock, event.peer), event, MOST_PAIRS)
            self._known = None

    def compare(self, transfer: Transfer) -> None:
        """Take in the messages between the two halves: none arrives before it is sent."""
        if transfer.producer is None or transfer.consumer is None:
            return
        mine, theirs = _clock(transfer.consumer), _clock(transfer.producer)
        if mine == theirs:
            return
        sent = _instant(transfer.consumer, "registration.sent")
        noticed = _instant(transfer.producer, "registration.noticed")
        posted = _instant(transfer.producer, "write.posted")
        heard = _instant(transfer.consumer, "notification.noticed")
        high = None if sent is None or noticed is None else noticed - sent
        low = None if posted is None or heard is None else posted - heard
        if low is not None or high is not None:
            self._narrow(mine, theirs, Bounds(low, high))

    def clocks(self, engines: Engines) -> Clocks:
        """Every clock heard of against ours, by handshakes and messages where there are any."""
        if self._known is None:
            found = self._offsets(engines)
            self._known = Clocks(self.ours, found, self._largest_error())
        return self._known

    def _largest_error(self) -> int:
        offsets = (bounds.offset for bounds in self._between.values())
        return max((one.error or 0 for one in offsets if one is not None), default=0)

    def _narrow(self, mine: str, theirs: str, by: Bounds) -> None:
        for pair, bounds in (((mine, theirs), by), ((theirs, mine), _turned(by))):
            narrowed = self._between.get(pair, Bounds()).narrowed(bounds)
            if narrowed != self._between.get(pair):
                _keep(self._between, pair, narrowed, MOST_PAIRS)
                self._known = None

    def _offsets(self, engines: Engines) -> dict[str, Offset]:
        self._read_handshakes(engines)
        found: dict[str, Offset] = {self.ours: Offset(0, 0)}
        near = self._near()
        _spread(found, self.ours, near)
        for clock, apparent in sorted(self._apparent.items()):
            if clock not in found:
                found[clock] = Offset(apparent, None)
                _spread(found, clock, near)
        del found[self.ours]
        return found

    def _read_handshakes(self, engines: Engines) -> None:
        for (clock, peer), event in list(self._handshakes.items()):
            theirs = engines.clock_of(peer)
            if theirs:
                del self._handshakes[clock, peer]
            if theirs and theirs != clock and event.clock_offset is not None:
                error = (event.round_trip or event.took) // 2
                off = event.clock_offset
                self._narrow(clock, theirs, Bounds(off - error, off + error))

    def _near(self) -> dict[str, list[tuple[str, Offset]]]:
        """For each clock those that bounds on both sides connect it with."""
        near: dict[str, list[tuple[str, Offset]]] = {}
        for (one, other), bounds in sorted(self._between.items(), key=lambda kv: kv[0]):
            step = bounds.offset
            if step is not None:
                near.setdefault(one, []).append((other, step))
        return near


def _spread(
    found: dict[str, Offset], start: str, near: dict[str, list[tuple[str, Offset]]]
) -> None:
    """Reach from one clock all those that bounds connect it with."""
    edge = deque([start])
    while edge:
        mine = edge.popleft()
        known = found[mine]
        for other, step in near.get(mine, ()):
            if other not in found:
                error = None
                if known.error is not None and step.error is not None:
                    error = known.error + step.error
                found[other] = Offset(known.ns - step.ns, error)
                edge.append(other)


def _keep(known: dict[K, T], key: K, told: T, most: int) -> None:
    """Remember it; beyond the limit the one that was met first is forgotten."""
    known[key] = told
    if len(known) > most:
        del known[next(iter(known))]


def _turned(bounds: Bounds) -> Bounds:
    low = None if bounds.high is None else -bounds.high
    high = None if bounds.low is None else -bounds.low
    return Bounds(low, high)


def _instant(half: Half, name: str) -> int | None:
    told = earliest(half, name)
    return None if told is None else told.mark.at


def _clock(half: Half) -> str:
    return next(iter(half.told.values())).mark.clock
