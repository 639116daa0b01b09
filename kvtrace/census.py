"""Counts and sorts what the fleet holds, for one snapshot after another."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice

import msgspec

from kvtrace.clocks import Clocks
from kvtrace.courtesy import COURTESY
from kvtrace.diagnosis.case import trouble_of
from kvtrace.diagnosis.patience import QUEUED, in_queue, patience
from kvtrace.diagnosis.rounds import Rounds
from kvtrace.ended import done
from kvtrace.ending import seen_from_start
from kvtrace.engine_lines import engine_line, load, replaced
from kvtrace.engines import Engine, Engines
from kvtrace.events import AnyEvent
from kvtrace.fleet import Fleet
from kvtrace.flow import Flow
from kvtrace.gauges import Gauges
from kvtrace.model import Link, Outcome, Phase, Role
from kvtrace.moments import Moment, Record
from kvtrace.names import Names
from kvtrace.phases import Stretch
from kvtrace.queues import Queues
from kvtrace.rows import row, worst_first
from kvtrace.snapshot import Done, EngineLine, Losses, Row, Snapshot, Stalls, Totals
from kvtrace.standing import Standing, standing
from kvtrace.transfer import Transfer
from kvtrace.wire import KINDS

SHOWN = 200
"""Ended transfers in a snapshot."""


class Census:
    """The fleet, what was counted on the way, and what need not be worked out anew."""

    def __init__(self, clock: str) -> None:
        self._fleet = Fleet(clock)
        self._flow = Flow()
        self._gauges = Gauges(self._fleet)
        self._names = Names()
        self._queues = Queues()
        self._rounds = Rounds(self._fleet, self._names.known)
        self._clocks = self._fleet.clocks
        self._standings: dict[str, tuple[Transfer, Standing]] = {}
        self._done: dict[str, tuple[Transfer, Done]] = {}
        self._spoken_of: dict[str, Role] = {}
        self._lag = 0

    def take(self, moment: Moment) -> None:
        """Take in what arrived."""
        repeats = self._fleet.repeats
        self._fleet.take(moment)
        if self._fleet.repeats == repeats:
            self._flow.hear(moment, self._clocks)
            self._gauges.hear(moment, self._clocks)
            self._queues.hear(moment, self._fleet.table, self._clocks)
            news = moment.news
            if isinstance(news, Record) and _SPEAKS_OF[type(news.event)]:
                self._spoken_of.update(_spoken_of(news.event))

    def snapshot(self, at: int) -> Snapshot:
        """All that is known, as of `at` nanoseconds of our own clock, with all worked out."""
        self.beat(at)
        return self.look(at)

    def stalls(self, at: int) -> Stalls:
        """Who is in flight, and why those that stall do: what a snapshot costs most is left out.

        The snapshots that follow are the same as if this had been one.
        """
        self.beat(at)
        rows = self.rows(at)
        found = Stalls(rows=rows, diagnoses=self._rounds.stalls(rows, self._since, at))
        self._keep_latest(at)
        return found

    def beat(self, at: int) -> None:
        """Work out what is not worked out with each event.

        What is known depends on when that was done, but never on who looked in between.
        """
        if self._fleet.clocks is not self._clocks:
            self._clocks = self._fleet.clocks
            self._standings.clear()
            self._done.clear()
        self._count_ended(at)
        self._flow.forget(at)
        self._lag = self._flow.take_lag()
        self._name()

    def look(self, at: int) -> Snapshot:
        """All that is known, as of `at`, with rates, clocks and names as of the last beat."""
        engines = {engine.id: engine for engine in self._fleet.engines.all()}
        rows = self._rows(at, engines.get)
        found = self._rounds.look(rows, self._since, at)
        return Snapshot(
            at=at,
            wall=_wall(at, engines, self._clocks),
            totals=_totals(rows, self._fleet.outcomes),
            oldest=max((row.waited for row in rows), default=None),
            phases=self._flow.phase_lines(rows, at),
            rows=rows,
            done=self._latest(at),
            engines=self._lines(at, engines, rows),
            losses=self._losses(rows),
            events=self._fleet.events,
            rate=self._flow.rate(at),
            names=self._names.given,
            clocks=self._clocks,
            handshakes=tuple(self._fleet.handshakes),
            links=self._gauges.links.lines(rows, at),
            vitals=self._gauges.vitals.lines(at),
            tail=self._gauges.tail.last(),
            diagnoses=found.diagnoses,
            engine_diagnoses=found.engines,
            causes=found.causes,
        )

    @property
    def failures(self) -> int:
        """Transfers known to have failed, or to have been given up."""
        outcomes = self._fleet.outcomes
        return outcomes[Outcome.FAILED] + outcomes[Outcome.ABANDONED]

    def rows(self, at: int) -> tuple[Row, ...]:
        """The transfers in flight alone, as of `at`."""
        return self._rows(at, cache(self._fleet.engines.get))

    def _rows(self, at: int, engine: Callable[[str], Engine | None]) -> tuple[Row, ...]:
        before, self._standings = self._standings, {}
        limits: dict[tuple[Link, Phase], int] = {}
        all_gone = self._fleet.engines.all_gone
        rows = []
        for name, transfer in self._fleet.table.live.items():
            COURTESY.give_way()
            if _is_stale(transfer, self._fleet.engines):
                continue
            known = before.get(name)
            if known is None or known[0] is not transfer:
                known = transfer, standing(transfer, self._clocks, at)
            self._standings[name] = known
            found = known[1]
            key = found.link, found.phase
            limit = limits.get(key)
            if limit is None:
                ends = engine(found.link.producer), engine(found.link.consumer)
                limit = limits[key] = patience(found.phase, *ends)
            if at - found.since >= limit and found.phase in QUEUED:
                waits = self._queues.waits(transfer, found, self._clocks)
                limit = in_queue(limit, waits, engine(found.link.producer))
            rows.append(row(transfer, found, limit, at, gone=all_gone(found.awaited)))
        return worst_first(rows)

    def _since(self, row: Row) -> int:
        """When its present wait began."""
        return self._standings[row.transfer.id][1].since

    def _count_ended(self, at: int) -> None:
        for name in self._fleet.take_ended():
            COURTESY.give_way()
            transfer = self._fleet.table.ended[name]
            if seen_from_start(transfer):
                made, phases = self._made(name, at)
                self._done[name] = transfer, made
                self._rounds.ended(made, at)
                self._flow.passed(phases, made.outcome is Outcome.FINISHED)
        # Where nobody looks for long, as when a recording is looked through, none is kept in vain.
        if len(self._done) > 4 * SHOWN:
            self._done = dict(islice(self._done.items(), len(self._done) - 2 * SHOWN, None))

    def _made(self, name: str, at: int) -> tuple[Done, tuple[Stretch, ...]]:
        """What is kept of a transfer that ended, and why it ended so."""
        transfer, over = self._fleet.table.ended[name], self._fleet.table.endings[name]
        made, phases = done(transfer, over, self._clocks)
        found = self._rounds.over(transfer, trouble_of(made, over, phases[-1]), at)
        return msgspec.structs.replace(made, diagnosis=found), phases

    def _latest(self, at: int) -> tuple[Done, ...]:
        """The last to end, newest first, with what was learned of them since."""
        self._keep_latest(at)
        found = (made for _, made in self._done.values())
        return tuple(sorted(found, key=lambda d: -self._clocks.instant(d.ended)))

    def _keep_latest(self, at: int) -> None:
        kept = {}
        last = list(islice(reversed(self._fleet.table.ended.items()), SHOWN))
        for name, transfer in reversed(last):
            known = self._done.get(name)
            if known is None or known[0] is not transfer:
                if not seen_from_start(transfer):
                    continue
                known = transfer, self._made(name, at)[0]
            kept[name] = known
        self._done = kept

    def _lines(
        self, at: int, engines: dict[str, Engine], rows: tuple[Row, ...]
    ) -> tuple[EngineLine, ...]:
        COURTESY.give_way()
        standings = ((row, self._standings[row.transfer.id][1]) for row in rows)
        loaded = load(standings, replaced(engines.values()))
        lines = [
            engine_line(e, self._names.known(e.id), loaded, self._clocks, at)
            for e in engines.values()
        ]
        return tuple(sorted(lines, key=lambda line: not line.roles.startswith("P")))

    def _name(self) -> None:
        """Give names in the order in which engines were heard, then spoken of."""
        heard = self._fleet.engines
        for engine in heard.ids:
            self._names.of(engine, heard.roles(engine))
        for engine, role in self._spoken_of.items():
            self._names.of(engine, frozenset({role}))
        self._spoken_of.clear()
        self._names.keep(heard.ids)

    def _losses(self, rows: tuple[Row, ...]) -> Losses:
        COURTESY.give_way()
        lost = self._fleet.lost
        errors = [self._clocks.apart, *(o.error or 0 for o in self._clocks.offsets.values())]
        return Losses(
            **lost.counts,
            forgotten=self._fleet.forgotten,
            ambiguous=sum(row.ambiguous for row in rows),
            clock_error=max(errors),
            lag=self._lag,
        )


def _is_stale(transfer: Transfer, engines: Engines) -> bool:
    """Whether it is only a registration of a consumer that we hear, and that has no such
    request: with more consumer ranks than producer ranks some stay unmatched for ever."""
    if transfer.consumer is not None or transfer.producer is None:
        return False
    told = transfer.producer.told.values()
    if any(one.event.request for one in told):
        return False
    return any(getattr(one.event, "consumer", "") in engines for one in told)


def _wall(at: int, engines: dict[str, Engine], clocks: Clocks) -> int:
    """The time of day by the engine that was heard last; 0 before any was."""
    newest = (engine.newest for engine in engines.values())
    last = max(newest, key=clocks.instant, default=None)
    return 0 if last is None else last.wall + at - clocks.instant(last)


def _totals(rows: tuple[Row, ...], outcomes: Counter[Outcome]) -> Totals:
    return Totals(
        waiting=len(rows),
        stalled=sum(row.stalled for row in rows),
        finished=outcomes[Outcome.FINISHED],
        failed=outcomes[Outcome.FAILED],
        abandoned=outcomes[Outcome.ABANDONED],
    )


def _spoken_of(event: AnyEvent) -> Iterator[tuple[str, Role]]:
    """The other side's engine, where the event names it."""
    for role, field in _SPEAKS_OF[type(event)]:
        engine = getattr(event, field)
        if engine:
            yield str(engine), role


_SPEAKS_OF = {
    cls: tuple(
        (role, field)
        for role, field in ((Role.PRODUCER, "producer"), (Role.CONSUMER, "consumer"))
        if field in cls.__struct_fields__
    )
    for cls in KINDS.values()
}
"""Which fields of each kind name the other side's engine."""
