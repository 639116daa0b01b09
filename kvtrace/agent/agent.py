"""Follows the black boxes of one directory and puts what they tell into the outboxes."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

import msgspec

from kvtrace.agent.cursor import Cursor
from kvtrace.agent.identity import Identity
from kvtrace.agent.losses import Losses
from kvtrace.agent.parcels import LogParcel, SpanParcel
from kvtrace.moments import Ended, Lost, News, Record
from kvtrace.signals.logs import Context, Log
from kvtrace.signals.spans import STALL, Span
from kvtrace.sources.pulse import Pulse
from kvtrace.sources.run_directory import SCAN, RunDirectory

ENOUGH = 4_000
"""Events that are read at once before what was read goes on its way."""


Parcel = TypeVar("Parcel", contravariant=True)


class Box(Protocol[Parcel]):
    """Where parcels of one signal are put."""

    @property
    def full(self) -> bool: ...
    @property
    def unsent(self) -> int: ...
    def put(self, items: Sequence[Parcel]) -> None: ...


class Deriver(Protocol):
    """Makes spans of what happens, and of what does not."""

    def take(self, news: News, seen: int) -> list[Span]: ...
    def tick(self, now: int, wall: int) -> list[Span]: ...
    def context(self, record: Record) -> Context: ...


class Outboxes(msgspec.Struct, frozen=True):
    """Where signals go; None for those that are not sent."""

    logs: Box[LogParcel] | None
    spans: Box[SpanParcel] | None

    @property
    def full(self) -> bool:
        """Whether one of them is, so that nothing more should be read."""
        return any(box.full for box in (self.logs, self.spans) if box is not None)

    @property
    def unsent(self) -> int:
        """How many signals are not sent yet."""
        return sum(box.unsent for box in (self.logs, self.spans) if box is not None)


class Making(msgspec.Struct, frozen=True):
    """What becomes of what is seen."""

    deriver: Deriver
    sift: Callable[[list[Span]], list[Span]] = list
    """The spans, of those that are made, that are to be sent."""

    veil: Callable[[News], News] = lambda news: news
    """What may be told outside of what happened."""


class Eyes(msgspec.Struct, frozen=True):
    """What the agent sees with."""

    boxes: RunDirectory
    identity: Identity
    pulse: Pulse


class Agent:
    """One round after another; it reads no clock and waits for nothing."""

    def __init__(self, eyes: Eyes, outboxes: Outboxes, cursor: Cursor, making: Making) -> None:
        self.met = False
        """Whether there was any black box so far."""

        self.events = 0
        self.behind = False
        """Whether the last look left something that is there already."""

        self._enough = ENOUGH
        self._boxes = eyes.boxes
        self._out = outboxes
        self._cursor = cursor
        self._deriver = making.deriver
        self._making = making
        self._identity = eyes.identity
        self._pulse = eyes.pulse
        self._scanned: int | None = None
        self._seen: set[str] = set()
        self._losses = Losses(cursor)
        self._files: deque[str] = deque()
        """Those of the last look that cannot be read, in the order in which it tells of them."""

    @property
    def alone(self) -> bool:
        """Whether no process is left whose black box is written."""
        return not self._boxes.followed

    @property
    def unsent(self) -> int:
        """How many signals are not sent yet."""
        return self._out.unsent

    def round(self, now: int, wall: int) -> None:
        """One look, at that instant of our monotonic and of our wall clock."""
        self.behind = False
        if self._out.full:
            # The black boxes keep what is not read yet, for as long as they have room.
            return
        due = self._scanned is None or now - self._scanned >= SCAN
        if due:
            self._scanned = now
            self._scan()
        news = [self._making.veil(one) for one in self._boxes.poll(self._enough)]
        self.behind = len(news) >= self._enough
        self._files = deque(self._boxes.complained)
        logs: list[LogParcel] = []
        for process, records in _by_process(news).items():
            self._miss(process, records, wall, logs)
        spans = [span for one in news for span in self._deriver.take(one, now)]
        spans += self._deriver.tick(now, wall)
        for one in news:
            self._take(one, wall, logs)
        self._put_logs(logs)
        self._put_spans(self._making.sift(spans), now)
        if due:
            self._tell(now, wall)

    def _scan(self) -> None:
        """Look for black boxes that are new, or gone."""
        self._boxes.scan()
        self.met = self.met or bool(self._boxes.followed)
        self._cursor.keep(self._boxes.present)
        self._identity.keep(self._boxes.present)
        self._seen &= self._boxes.present
        self._losses.keep(self._boxes.present)

    def _tell(self, now: int, wall: int) -> None:
        """Tell what no event tells: who lives, and what was lost."""
        told: list[News] = list(self._pulse.feel(self._boxes.followed.values(), now))
        refused = self._cursor.take_owed()
        if refused:
            told.append(Lost(refused=refused))
        logs: list[LogParcel] = []
        for news in told:
            self._log(news, wall, logs)
        self._put_logs(logs)
        self._cursor.write()

    def _take(self, news: News, wall: int, logs: list[LogParcel]) -> None:
        if isinstance(news, Record):
            self.events += 1
            if news.seq <= self._cursor.before(news.process).logs:
                return
        elif isinstance(news, Ended) and self._cursor.before(news.process).ended:
            return
        if not isinstance(news, Lost):
            self._log(news, wall, logs)
        elif lost := self._losses.fresh(news):
            self._log(lost, wall, logs)

    def _log(self, news: News, wall: int, logs: list[LogParcel]) -> None:
        if self._out.logs is None:
            return
        file = ""
        if isinstance(news, Lost):
            if news.unreadable and not news.process and self._files:
                file = self._files.popleft()
            news = self._losses.numbered(news)
        if isinstance(news, Record):
            resource, seq = self._identity.of_record(news), news.seq
            log = Log(news, wall, self._deriver.context(news))
        else:
            resource, seq = self._identity.of(news.process), 0
            log = Log(news, wall)
        logs.append(
            LogParcel(
                resource=resource,
                log=log,
                process=news.process,
                seq=seq,
                ended=isinstance(news, Ended),
                lost=news if isinstance(news, Lost) else None,
                file=file,
            )
        )

    def _put_logs(self, logs: list[LogParcel]) -> None:
        if self._out.logs is not None:
            self._out.logs.put(logs)

    def _put_spans(self, spans: list[Span], now: int) -> None:
        if self._out.spans is None or not spans:
            return
        of, handed = self._identity.of, self._cursor.was_handed
        self._out.spans.put(
            [
                SpanParcel(resource=of(span.process, span.engine), span=span, at=now)
                for span in spans
                if not handed(span.span_id.hex(), *_behind(span))
            ]
        )

    def _miss(self, process: str, records: list[Record], wall: int, logs: list[LogParcel]) -> None:
        """Tell what went unread between an earlier agent's last look and our first."""
        if process in self._seen:
            return
        self._seen.add(process)
        before = self._cursor.before(process).logs
        after = [record.seq for record in records if record.seq > before]
        missing = max(after, default=before) - before - len(after)
        if before and missing > 0:
            self._log(Lost(process=process, overwritten=missing), wall, logs)


def _behind(span: Span) -> tuple[str, int]:
    """The event that completed the span; none where only time did."""
    return ("", 1) if span.name == STALL else span.trigger


def _by_process(news: Iterable[News]) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for one in news:
        if isinstance(one, Record):
            found.setdefault(one.process, []).append(one)
    return found
