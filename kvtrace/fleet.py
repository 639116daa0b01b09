"""All transfers we know of: takes in moments, joins halves, forgets what ended long ago."""

from collections import Counter, deque

import msgspec

from kvtrace.clocks import Clocks
from kvtrace.ending import LAST_WORDS, ending, may_end, seen_from_start
from kvtrace.engines import Engines
from kvtrace.events import (
    HandshakeFailed,
    HandshakeFinished,
    HandshakeStarted,
    LegAnswered,
    LegSent,
    MatchMade,
    NotificationNoticed,
    ProcessStarted,
    RequestAdmitted,
    WritePosted,
    WriteStarted,
    closes,
)
from kvtrace.hearing import Hearing
from kvtrace.legs import Legs
from kvtrace.lifecycle import advance, begin, overflows, told
from kvtrace.model import Outcome, Role
from kvtrace.moments import Ended, Lost, Moment, Record, Watched
from kvtrace.notices import KEPT, Notices
from kvtrace.offsets import Offsets
from kvtrace.pairing import Key, arrange, fresh_id, is_half, named, named_consumer, whose, with_half
from kvtrace.stand_ins import StandIns
from kvtrace.strays import Strays
from kvtrace.table import Table
from kvtrace.transfer import Half, Told, Transfer

_HANDSHAKES = 200
"""Handshakes that are kept: one for each pair of ranks, or the failing ones of some minutes."""

_P = Role.PRODUCER

_OF_ROUTERS = frozenset((LegSent, LegAnswered))

_TELL_MORE = frozenset((RequestAdmitted, MatchMade, WriteStarted, WritePosted))


class Fleet:
    """The one mutable whole; the transfers and engines that it gives out are frozen."""

    def __init__(self, clock: str, *, live_limit: int = 50_000, ended_limit: int = 2_000) -> None:
        self.engines = Engines()
        self.table = Table()
        self.outcomes: Counter[Outcome] = Counter()
        """Of the transfers whose beginning was seen."""

        self.handshakes: deque[Told] = deque(maxlen=_HANDSHAKES)
        """The last ones that were told without naming a request."""

        self.notices = Notices()
        self.legs = Legs()
        self.strays = Strays()
        self.stand_ins = StandIns()
        self.events = self.repeats = 0
        self.lost = Lost()
        """What the sources say they did not pass on, added up."""

        self._forgotten = 0
        self._limits = (live_limit, ended_limit)
        self._hearing = Hearing()
        self._offsets = Offsets(clock)
        self._fresh: dict[str, None] = {}
        self._counted: dict[str, Outcome] = {}

    @property
    def clocks(self) -> Clocks:
        """The engines' clocks against ours, as far as known by now."""
        return self._offsets.clocks(self.engines)

    @property
    def forgotten(self) -> int:
        """Transfers in flight, their events, and engines that were given up for room."""
        return self._forgotten + self.engines.forgotten

    def take(self, moment: Moment) -> None:
        """Take in what arrived; what arrived before changes nothing."""
        match moment.news:
            case Record() as record:
                self._hear(record, moment.at)
            case Lost() as lost:
                self._lose(lost)
            case Ended() as ended:
                self.engines.end(ended)
            case Watched() as watched:
                self.engines.watch(watched, moment.at)

    def take_ended(self) -> list[str]:
        """The ids of those that ended since this was last asked, oldest first."""
        found = [name for name in self._fresh if name in self.table.ended]
        self._fresh = {}
        return found

    def _lose(self, lost: Lost) -> None:
        if lost.teller and not self._hearing.is_new(lost.teller, lost.number):
            self.repeats += 1
            return
        self.lost = _added(self.lost, lost)
        if lost.overwritten or lost.unreadable or lost.refused:
            self.engines.lose(lost.process)
        self.notices.lose(lost)

    def _hear(self, record: Record, seen: int) -> None:
        if not self._hearing.is_new(record.process, record.seq):
            self.repeats += 1
            return
        self.events += 1
        kind = type(record.event)
        if kind in _OF_ROUTERS:
            self.legs.hear(told(record, _side(record), seen))
            return
        self.engines.hear(record, seen)
        if record.clock != self._offsets.ours or kind is HandshakeFinished:
            self._offsets.hear(record, seen)
        if kind in KEPT:
            self.notices.hear(told(record, _side(record), seen))
        key = whose(record)
        if key is None:
            self._hear_of_engine(record, seen)
            return
        if self.stand_ins.hear(key, record, seen):
            for stray, when in self.strays.give(key):
                self.stand_ins.hear(key, stray, when)
            return
        transfer = self.table.of(key)
        if transfer is not None:
            self._grow(transfer, key, record, seen)
        elif record.event.role is None or closes(record.event):
            self.strays.keep(key, record, seen)
            return
        else:
            self._open(key, record, seen)
        if key in self.strays:
            for stray, when in self.strays.give(key):
                self._grow(self.table[self.table.find(key) or key[2]], key, stray, when)

    def _hear_of_engine(self, record: Record, seen: int) -> None:
        if isinstance(record.event, HandshakeStarted | HandshakeFinished | HandshakeFailed):
            self.handshakes.append(told(record, _side(record), seen))
        elif isinstance(record.event, ProcessStarted):
            self._tell_ranks(record.engine)

    def _open(self, key: Key, record: Record, seen: int) -> None:
        """Begin a transfer with what may be the first of it, or the first we heard."""
        half = self._begin(key, record)
        alike = self.table.alike(half.base)
        name = half.base if half.base not in self.table else fresh_id(half)
        half = advance(half, record, seen)
        self.table.begin(with_half(Transfer(id=name), half), key, half.base)
        if alike or named_consumer(record) is not None:
            self._settle(name)
        elif may_end(record.event):
            self._judge(name)
        if len(self.table.live) > self._limits[0]:
            self.table.forget(next(iter(self.table.live)))
            self._forgotten += 1

    def _grow(self, transfer: Transfer, key: Key, record: Record, seen: int) -> None:
        name = transfer.id
        role = record.role or key[1]
        half = transfer.producer if role is _P else transfer.consumer
        known = half or self._begin(key, record)
        grown = advance(known, record, seen)
        if grown is known:
            self._forgotten += overflows(known, record)
            return
        transfer = with_half(transfer, grown)
        kind = type(record.event)
        tells_more = half is None or (kind in _TELL_MORE and _tells_more(transfer, record))
        if tells_more and _confirms(transfer, record):
            transfer, tells_more = msgspec.structs.replace(transfer, joined="match"), False
        self.table.replace(transfer)
        if tells_more:
            self._settle(name)
        elif kind in LAST_WORDS and (role is not _P or transfer.consumer is None):
            self._judge(name)
        if record.clock != self._offsets.ours or kind is NotificationNoticed:
            self._offsets.compare(self.table[self.table.find(key) or name])

    def _begin(self, key: Key, record: Record) -> Half:
        engine = record.engine
        return begin(engine, record.role or key[1], key[2], self.engines.ranks(engine))

    def _tell_ranks(self, engine: str) -> None:
        """Let the halves in flight know what their engine only now told."""
        ranks = self.engines.ranks(engine)
        for transfer in list(self.table.live.values()):
            for half in (transfer.producer, transfer.consumer):
                if half is not None and half.engine == engine and half.ranks != ranks:
                    transfer = with_half(transfer, msgspec.structs.replace(half, ranks=ranks))
                    self.table.replace(transfer)

    def _settle(self, name: str) -> None:
        """Join and part the transfer and those like it, as far as the evidence goes."""
        self.table.index(self.table[name])
        group = _group(self.table, name, with_ended=False)
        made = arrange(group)
        if any(t.id == name and is_half(t) and not t.rivals for t in made):
            # Its counterpart may have ended before this half was heard of at all.
            group = _group(self.table, name, with_ended=True)
            made = arrange(group)
        kept = {transfer.id for transfer in made}
        for transfer in group:
            if transfer.id not in kept:
                self._uncount(transfer.id)
                self.table.forget(transfer.id)
        for transfer in made:
            self.table.replace(transfer)
            self.table.index(transfer)
            self._judge(transfer.id)

    def _judge(self, name: str) -> None:
        """Move the transfer to where it belongs: in flight, or ended."""
        transfer = self.table[name]
        over = ending(transfer)
        if over is None:
            if name in self.table.ended:
                self._uncount(name)
                self.table.revive(name)
            return
        if name in self.table.live:
            self.table.end(name, over)
            self._fresh[name] = None
        self.table.endings[name] = over
        self._uncount(name)
        if seen_from_start(transfer):
            self.outcomes[over.outcome] += 1
            self._counted[name] = over.outcome
        if len(self.table.ended) > self._limits[1]:
            oldest = next(iter(self.table.ended))
            self.table.forget(oldest)
            self._counted.pop(oldest, None)

    def _uncount(self, name: str) -> None:
        """Take back what was counted for a transfer whose end is judged anew."""
        outcome = self._counted.pop(name, None)
        if outcome is not None:
            self.outcomes[outcome] -= 1


def _group(table: Table, name: str, *, with_ended: bool) -> tuple[Transfer, ...]:
    """The transfer and all that could share a half with it."""
    transfer = table[name]
    wanted = [table.find(key) for key in named(transfer)]
    bases = {half.base for half in (transfer.producer, transfer.consumer) if half is not None}
    alike = [other for base in bases for other in table.newest_alike(base)]
    chosen = dict.fromkeys(
        other for other in alike if other in table.live or (with_ended and is_half(table[other]))
    )
    names = dict.fromkeys((*chosen, *wanted, name))
    return tuple(table[n] for n in names if n is not None)


def _tells_more(transfer: Transfer, record: Record) -> bool:
    """Whether the record may change which halves belong together."""
    theirs = named_consumer(record)
    if theirs is None or transfer.joined != "match":
        return theirs is not None or type(record.event) is RequestAdmitted
    mine = transfer.consumer
    return mine is not None and mine.request != theirs[2]


def _confirms(transfer: Transfer, record: Record) -> bool:
    """Whether the record names the very halves that were joined because they are alike."""
    theirs = named_consumer(record)
    mine = transfer.consumer
    if theirs is None or mine is None or transfer.joined != "base id":
        return False
    return (mine.engine, mine.role, mine.request) == theirs


def _side(record: Record) -> Role:
    """On whose half a handshake was made."""
    side = getattr(record.event, "side", "")
    return record.role or (Role.PRODUCER if side == Role.PRODUCER else Role.CONSUMER)


def _added(lost: Lost, more: Lost) -> Lost:
    added = more.counts
    return msgspec.structs.replace(
        lost, **{n: count + added[n] for n, count in lost.counts.items()}
    )
