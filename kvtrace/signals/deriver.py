"""Makes spans from records as they come, each span once, in bounded memory."""

from kvtrace.clocks import Clocks
from kvtrace.diagnosis.patience import PATIENCE
from kvtrace.engines import Engines
from kvtrace.events import (
    HandshakeFailed,
    HandshakeFinished,
    HandshakeStarted,
    ProcessStarted,
    RegistrationNoticed,
    StepSampled,
)
from kvtrace.identity import base_id
from kvtrace.model import Role
from kvtrace.moments import Ended, News, Record
from kvtrace.signals.account import Account, Whose, order
from kvtrace.signals.closing import Gone
from kvtrace.signals.drafts import id_of, span_of
from kvtrace.signals.halves import Halves
from kvtrace.signals.handshake_phases import Asked, key_of, remember
from kvtrace.signals.heard import Heard
from kvtrace.signals.ids import derived
from kvtrace.signals.logs import Context
from kvtrace.signals.open_half import NEVER, OpenHalf
from kvtrace.signals.parting import GIVE_UP, loose_handshake, part
from kvtrace.signals.spans import Span
from kvtrace.signals.stalls import Now, shortest, stall, wait_of
from kvtrace.stand_ins import StandIns

MILLISECOND = 1_000_000

SETTLE = 250 * MILLISECOND
"""Nanoseconds without news of a half before spans are made of what it told: its processes are
read one after the other, and an event of one may be read after a later one of another."""


class Deriver:
    """Takes in records in any order, and gives the spans that follow from them."""

    def __init__(self, clock: str, *, live_limit: int = 10_000, told_until: int = 0) -> None:
        """`told_until` is when an earlier one, whose spans are sent, was last asked for any."""
        self.halves = Halves(live_limit)
        """Those that are not over, or not wholly told, and what was left out of them."""

        self._ours = clock
        self._clocks = Clocks(clock)
        self._limit = live_limit
        self._told_until = told_until
        self._engines = Engines()
        self._modes: dict[str, str] = {}
        self._gone: dict[str, Gone] = {}
        self._quiet: dict[Whose, None] = {}
        """Those that were heard of, the longest quiet first."""

        self._settles = 0
        """None of them has settled before."""

        self._heard = Heard(live_limit)
        self._stand_ins = StandIns()
        self._beginnings: Asked = {}
        self._loose: list[tuple[Record, int]] = []
        self._next_scan = 0
        self._shortest = min(PATIENCE.values())
        """The shortest patience that any phase can have here."""

    def take(self, news: News, seen: int) -> list[Span]:
        """Take in what was told, and give the spans of halves that have settled by now.

        `seen` is what time it is, in nanoseconds of our monotonic clock.
        """
        if isinstance(news, Record):
            self._hear(news, seen)
        elif isinstance(news, Ended):
            self._end(news, seen)
        return self._settled(seen)

    def tick(self, now: int, wall: int) -> list[Span]:
        """All spans that can be made by now; each root comes after what is under it."""
        spans = self._settled(now)
        if now >= self._next_scan:
            self._next_scan = now + SETTLE
            for half in self.halves.due(now):
                spans += self._look(half, now)
                if half.whose in self.halves and half.opened and half.over is None:
                    spans += self._stalled(half, Now(now, wall, self._ours))
        return spans + self._loose_handshakes(now)

    def context(self, record: Record) -> Context:
        """The trace that a log record of this belongs to, and its half's root."""
        event = record.event
        whose = half_of(record)
        if whose is not None:
            return self.halves.context(whose)
        if isinstance(event, RegistrationNoticed) and event.remote_request:
            return derived(base_id(event.remote_request)).trace_id, b""
        return b"", b""

    def _hear(self, record: Record, seen: int) -> None:
        event = record.event
        if not event.request:
            self._hear_of_engine(record, seen)
            return
        whose = half_of(record)
        if whose is None or self._stand_ins.hear(whose, record, seen):
            return
        half = self.halves.take(whose, record, seen)
        if half is None:
            return
        when = record.at if record.clock == self._ours else seen
        half.due = min(half.due, when + self._shortest)
        if record.process in self._gone:
            half.lose(self._gone[record.process])
        self._quiet.pop(whose, None)
        self._quiet[whose] = None

    def _hear_of_engine(self, record: Record, seen: int) -> None:
        match record.event:
            case RegistrationNoticed(remote_request=request) if request:
                self._heard.keep(request, record, seen)
            case HandshakeStarted():
                remember(self._beginnings, record, self._limit)
            case HandshakeFinished() | HandshakeFailed():
                self._loose.append((record, seen))
            case ProcessStarted(mode=mode) as started:
                self._engines.hear(record, seen)
                self._modes[record.engine] = mode
                self._shortest = min(self._shortest, shortest(started))
            case StepSampled():
                self._engines.hear(record, seen)
            case _:
                pass

    def _end(self, ended: Ended, seen: int) -> None:
        gone = self._gone[ended.process] = Gone(ended.process, ended.goodbye, seen)
        for half in self.halves.spoken_for_by(ended.process):
            half.lose(gone)
            self._quiet.pop(half.whose, None)
            self._quiet[half.whose] = None

    def _settled(self, now: int) -> list[Span]:
        """The spans of the halves of which nothing was heard for a while."""
        if now < self._settles:
            return []
        spans = []
        while self._quiet:
            whose = next(iter(self._quiet))
            half = self.halves.get(whose)
            if half is not None and half.touched > now - SETTLE:
                self._settles = half.touched + SETTLE
                break
            del self._quiet[whose]
            if half is not None:
                spans += self._look(half, now)
        return spans

    def _look(self, half: OpenHalf, now: int) -> list[Span]:
        """Make what spans of the half can be made."""
        if not half.opened:
            half.due = half.since + GIVE_UP
            if now >= half.due:
                self.halves.drop(half)
            return []
        if not half.ripe:
            return []
        looked = part(half, self._account(half), self._beginnings, self._ours, now)
        half.ripe = looked.waiting
        if looked.done:
            self.halves.close(half)
            self._heard.drop(half.whose[0], half.consumers)
        elif looked.over:
            half.due = looked.again
        return looked.spans

    def _stalled(self, half: OpenHalf, now: Now) -> list[Span]:
        """The span that tells that the half waits too long, where that was not told yet."""
        account = self._account(half)
        wait = wait_of(account, self._engines, self._clocks, now.at)
        if wait is None:
            half.due = NEVER
            return []
        number = wait.number(now.at)
        half.due = wait.after(number + 1)
        if number <= half.stalls.get(wait.phase, -1) or wait.after(number) <= self._told_until:
            return []
        half.stalls[wait.phase] = number
        draft = stall(account, wait, number, now)
        return [span_of(draft, account, id_of(draft, account))]

    def _account(self, half: OpenHalf) -> Account:
        engine, role, request = half.whose
        records = [*half.records.values(), *self._heard.of(engine, half.consumers)]
        return Account(
            engine=engine,
            role=role,
            request=request,
            base=half.base,
            records=tuple(sorted(records, key=lambda told: order(told[0]))),
            ranks=self._engines.ranks(engine),
            mode=self._modes.get(engine, ""),
        )

    def _loose_handshakes(self, now: int) -> list[Span]:
        ready = [record for record, seen in self._loose if seen <= now - SETTLE]
        self._loose = [one for one in self._loose if one[1] > now - SETTLE]
        return [loose_handshake(r, self._beginnings.get(key_of(r))) for r in ready]


def half_of(record: Record) -> Whose | None:
    """Whose half the record belongs to; None where it speaks of no request of its engine."""
    event = record.event
    if not event.request:
        return None
    role = record.role or event.role or _SIDES.get(str(getattr(event, "side", "")))
    return None if role is None else (record.engine, role, event.request)


_SIDES = {role.value: role for role in Role}
