"""Counts and sorts what the fleet holds, for one snapshot after another."""

from collections import Counter
from collections.abc import Callable
from functools import cache

from kvtrace.clocks import Clocks
from kvtrace.courtesy import COURTESY
from kvtrace.departed import Departed
from kvtrace.diagnosis.patience import QUEUED, in_queue, patience
from kvtrace.diagnosis.rounds import Rounds
from kvtrace.engine_lines import engine_line, load, replaced
from kvtrace.engines import Engine
from kvtrace.events import ProcessStarted
from kvtrace.fleet import Fleet
from kvtrace.flow import Flow
from kvtrace.gauges import Gauges
from kvtrace.model import Link, Outcome, Phase, Role
from kvtrace.moments import Moment, Record
from kvtrace.names import Names
from kvtrace.queues import Queues
from kvtrace.rows import row, worst_first
from kvtrace.snapshot import EngineLine, Losses, Row, Snapshot, Stalls, Totals
from kvtrace.standing import Standing, standing
from kvtrace.transfer import Transfer
from kvtrace.wire import KINDS
from kvtrace.youth import Youth, in_flight


class Census:
    """The fleet, what was counted on the way, and what need not be worked out anew."""

    def __init__(self, clock: str) -> None:
        self._fleet = Fleet(clock)
        self._flow = Flow()
        self._gauges = Gauges(self._fleet)
        self._names = Names()
        self._queues = Queues()
        self._youth = Youth()
        self._rounds = Rounds(self._fleet, self._names.known)
        self._departed = Departed(self._fleet, self._rounds, self._flow)
        self._clocks = self._fleet.clocks
        self._standings: dict[str, tuple[Transfer, Standing]] = {}
        self._spoken_of: dict[str, Role] = {}
        self._lag = 0

    def take(self, moment: Moment) -> None:
        """Take in what arrived."""
        fleet = self._fleet
        repeats = fleet.repeats
        fleet.take(moment)
        if fleet.repeats == repeats:
            self._flow.hear(moment, self._clocks)
            self._gauges.hear(moment, self._clocks)
            self._queues.hear(moment, self._fleet.table, self._clocks)
            news = moment.news
            if isinstance(news, Record):
                if type(news.event) is ProcessStarted:
                    self._youth.hear(news)
                # The other side's engine, where the event names it.
                for role, field in _SPEAKS_OF[type(news.event)]:
                    engine = getattr(news.event, field)
                    if engine:
                        self._spoken_of[engine] = role

    def snapshot(self, at: int) -> Snapshot:
        """All that is known, as of `at` nanoseconds of our own clock, with all worked out."""
        self.beat(at)
        return self.look(at)

    def stalls(self, at: int) -> Stalls:
        """Who stalls, and why: what a snapshot costs most is left out.

        The snapshots that follow are the same as if this had been one.
        """
        self.beat(at)
        every, engines = self._in_flight(), self._fleet.engines
        old = [one for one in every if not self._youth.is_young(one, self._clocks, engines, at)]
        rows = self._rows(old, at, cache(engines.get))
        found = Stalls(
            waiting=len(every),
            rows=rows,
            diagnoses=self._rounds.stalls(rows, self._since, at),
            ended=self._departed.blamed,
        )
        self._departed.keep(at, self._clocks, though_well=False)
        return found

    def beat(self, at: int) -> None:
        """Work out what is not worked out with each event.

        What is known depends on when that was done, but never on who looked in between.
        """
        if self._fleet.clocks is not self._clocks:
            self._clocks = self._fleet.clocks
            self._standings.clear()
            self._departed.forget()
        self._departed.count(at, self._clocks)
        self._flow.forget(at)
        self._lag = self._flow.take_lag()
        self._name()

    def look(self, at: int) -> Snapshot:
        """All that is known, as of `at`, with rates, clocks and names as of the last beat."""
        engines = {engine.id: engine for engine in self._fleet.engines.all()}
        rows = self._rows(self._in_flight(), at, engines.get)
        found = self._rounds.look(rows, self._since, at)
        return Snapshot(
            at=at,
            wall=_wall(at, engines, self._clocks),
            totals=_totals(rows, self._fleet.outcomes),
            oldest=max((row.waited for row in rows), default=None),
            phases=self._flow.phase_lines(rows, at),
            rows=rows,
            done=self._departed.latest(at, self._clocks),
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
            ended=self._departed.blamed,
            causes=found.causes,
        )

    @property
    def failures(self) -> int:
        """Transfers known to have failed, or to have been given up."""
        outcomes = self._fleet.outcomes
        return outcomes[Outcome.FAILED] + outcomes[Outcome.ABANDONED]

    def rows(self, at: int) -> tuple[Row, ...]:
        """The transfers in flight alone, as of `at`."""
        return self._rows(self._in_flight(), at, cache(self._fleet.engines.get))

    def _in_flight(self) -> list[Transfer]:
        return in_flight(self._fleet.table, self._fleet.engines)

    def _rows(
        self, transfers: list[Transfer], at: int, engine: Callable[[str], Engine | None]
    ) -> tuple[Row, ...]:
        before, self._standings = self._standings, {}
        limits: dict[tuple[Link, Phase], int] = {}
        all_gone = self._fleet.engines.all_gone
        rows = []
        for transfer in transfers:
            COURTESY.give_way()
            name = transfer.id
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


_SPEAKS_OF = {
    cls: tuple(
        (role, field)
        for role, field in ((Role.PRODUCER, "producer"), (Role.CONSUMER, "consumer"))
        if field in cls.__struct_fields__
    )
    for cls in KINDS.values()
}
"""Which fields of each kind name the other side's engine."""
