"""Runs an agent: opens the ways out, looks again and again, and ends in good order."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from threading import Event
from typing import TypeVar

import msgspec

from kvtrace.agent.agent import Agent, Eyes, Making, Outboxes
from kvtrace.agent.cursor import Cursor
from kvtrace.agent.ending import Ending
from kvtrace.agent.identity import Identity
from kvtrace.agent.journal import Journal
from kvtrace.agent.left_out import left_out
from kvtrace.agent.lock import Lock
from kvtrace.agent.outbox import Outbox
from kvtrace.agent.parcels import (
    LogParcel,
    SpanParcel,
    logs_answered,
    logs_refused,
    logs_taken,
    pack_logs,
    pack_spans,
    spans_answered,
    spans_handed,
)
from kvtrace.agent.route import Route
from kvtrace.destination import Destination
from kvtrace.garbage import collect_seldom
from kvtrace.signals.deriver import Deriver
from kvtrace.signals.hashing import Hasher
from kvtrace.signals.sampling import Sampler
from kvtrace.sinks.otlp.environment import told_attributes
from kvtrace.sinks.otlp.messages import Messages
from kvtrace.sinks.otlp.sender import open_sender
from kvtrace.sources.pulse import Pulse
from kvtrace.sources.run_directory import HOUR, RunDirectory
from kvtrace.words import many

Item = TypeVar("Item")

LOOK = 0.4
"""Seconds between two looks at the black boxes, where the last one saw all: what happens is sent
within half a second, and the fewer looks and requests, the less each event costs."""

FLUSH = 1.5
"""Seconds to send what is left, once the agent is told to stop."""

LOGS_ROOM, LOGS_BATCH = 8_000, 1_000
SPANS_ROOM, SPANS_BATCH = 4_000, 250


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent is to do."""

    directory: Path
    destinations: tuple[Destination, ...]
    clock: str
    """The boot id of this host."""

    span_ratio: float = 1.0
    """The share of transfers whose spans are sent."""

    secret: str = ""
    """What request ids are hashed with; empty where they are sent as they are."""

    dead_for_ns: int = HOUR
    ending: Ending = msgspec.field(default_factory=Ending)


class Office:
    """An agent with everything that it works with."""

    def __init__(self, plan: Plan, journal: Journal, stack: ExitStack) -> None:
        """Open all; raises ExportError where a destination's settings make no sense."""
        self._plan = plan
        self.journal = journal
        self._stack = stack
        self.routes: list[Route[LogParcel] | Route[SpanParcel]] = []
        self.cursor = Cursor(plan.directory, plan.clock, tell=journal.note)
        boxes = stack.enter_context(
            closing(
                RunDirectory(
                    plan.directory, dead_for_ns=plan.dead_for_ns, known=self.cursor.unreadable
                )
            )
        )
        pack = Messages()
        self._logs, logs = self._open("logs", partial(pack_logs, pack), LOGS_BATCH, LOGS_ROOM)
        self._spans, spans = self._open(
            "traces", partial(pack_spans, pack), SPANS_BATCH, SPANS_ROOM
        )
        self._remember(logs, spans)
        self.deriver = Deriver(plan.clock, told_until=self.cursor.stalls_before)
        self.sampler = Sampler(plan.span_ratio)
        self.outboxes = Outboxes(self._logs, self._spans)
        self.agent = Agent(
            Eyes(boxes, Identity(told_attributes(), lambda: boxes.followed), Pulse()),
            self.outboxes,
            self.cursor,
            _making(self.deriver, self.sampler, plan.secret),
        )

    def start(self) -> None:
        """Begin to send."""
        for box in (self._logs, self._spans):
            if box is not None:
                box.start()

    def stop(self, seconds: float) -> dict[str, int]:
        """Send what is left, for so long; how much of what was left after that."""
        until = time.monotonic() + seconds
        boxes: dict[str, Outbox[LogParcel] | Outbox[SpanParcel] | None] = {
            "log records": self._logs,
            "spans": self._spans,
        }
        open_ones = {name: box for name, box in boxes.items() if box is not None}
        for box in open_ones.values():
            box.hurry(seconds)
        left = {
            name: box.stop(max(0.1, until - time.monotonic())) for name, box in open_ones.items()
        }
        self.cursor.write()
        return left

    def tell_left_out(self) -> None:
        """Say that spans are not all there is, when that begins; how much, at the end."""
        said = left_out(self.deriver.halves, self.sampler)
        if said:
            self.journal.is_("left out", "begun", said)

    def _open(
        self, signal: str, pack: Callable[[Sequence[Item]], bytes], batch: int, room: int
    ) -> tuple[Outbox[Item] | None, Route[Item] | None]:
        for destination in self._plan.destinations:
            if destination.signal == signal:
                sender = self._stack.enter_context(closing(open_sender(destination)))
                route = Route(destination, sender, self.journal, pack=pack, batch=batch)
                return Outbox(route, room=room), route
        return None, None

    def _remember(self, logs: Route[LogParcel] | None, spans: Route[SpanParcel] | None) -> None:
        """Have the cursor know of what is sent."""
        cursor = self.cursor
        if logs is not None:
            logs.on_settled = lambda parcels: logs_answered(cursor, parcels)
            logs.on_taken = lambda parcels: logs_taken(cursor, parcels)
            logs.on_refused = lambda parcels: logs_refused(cursor, parcels)
            logs.on_lost = cursor.owe
            self.routes.append(logs)
        if spans is not None:
            spans.on_handing = lambda parcels: spans_handed(cursor, parcels)
            spans.on_settled = lambda parcels: spans_answered(cursor, parcels)
            self.routes.append(spans)


def _making(deriver: Deriver, sampler: Sampler, secret: str) -> Making:
    if not secret:
        return Making(deriver, sampler.sift)
    return Making(deriver, sampler.sift, Hasher(secret).news)


def run(plan: Plan, lock: Lock, tell: Callable[[str], object], stop: Event) -> bool:
    """Send what the black boxes tell until there is nothing left to do, or it is told to stop.

    Whether all that was read was sent, or refused.

    Raises ExportError where the destinations' settings make no sense, or the lock is not ours any
    more, and BlackBoxError where the directory cannot be read.
    """
    journal = Journal(tell)
    with ExitStack() as stack:
        office = Office(plan, journal, stack)
        lock.work()
        if office.cursor.doubtful:
            journal.note(
                f"{many(office.cursor.doubtful, 'span')} may not have arrived when an earlier "
                "agent ended; they are not sent again"
            )
        journal.note(_beginning(plan))
        office.start()
        collect_seldom()
        flush = FLUSH
        try:
            flush = _watch(plan, office, lock, stop)
        finally:
            left = office.stop(flush)
        journal.note(_summary(office, left))
    return not any(left.values())


def _watch(plan: Plan, office: Office, lock: Lock, stop: Event) -> float:
    """Seconds to send what is left when it is over: none where that was tried in vain."""
    agent, routes = office.agent, office.routes
    while not stop.wait(0 if agent.behind else LOOK):
        now = time.monotonic_ns()
        agent.round(now, time.time_ns())
        office.tell_left_out()
        office.journal.catch_up()
        over = plan.ending.is_reached(now, alone=agent.alone, met=agent.met, unsent=agent.unsent)
        delayed = any(route.is_delayed or route.is_asking for route in routes)
        answered = sum(route.answered for route in routes)
        if plan.ending.is_in_vain(now, delayed=delayed, answered=answered):
            for route in routes:
                route.given_up()
            return 0.0
        if not lock.ours:
            office.journal.note(f"{lock.path} is gone, or another agent's: ends")
            over = True
        if over:
            break
    return FLUSH


def _beginning(plan: Plan) -> str:
    ways = dict.fromkeys(f"{one.endpoint} ({one.protocol})" for one in plan.destinations)
    once = "; ends when all that is there has arrived" if plan.ending.once else ""
    return f"reads {plan.directory}, sends to {' and '.join(ways)}{once}"


def _summary(office: Office, left: Mapping[str, int]) -> str:
    lost = sum(route.lost for route in office.routes)
    sent = sum(route.sent for route in office.routes)
    told = f"ends: {many(office.agent.events, 'event')} read, {sent:,} log records and spans sent"
    if lost:
        told += f", {lost} refused"
    unsent = " and ".join(f"{count} {name}" for name, count in left.items() if count)
    if unsent:
        told += f", {unsent} not sent in time: the next agent sends what the black boxes still hold"
    missing = left_out(office.deriver.halves, office.sampler)
    return f"{told}; {missing}" if missing else told
