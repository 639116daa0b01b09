"""Sends what is put in, in order and in batches, from a thread of its own.

The thread belongs to the outbox, and is woken by what is put in, by time, and by the end. What is
not sent yet is bounded: whoever puts in looks at `full` first.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from kvtrace.agent.patience import Patience
from kvtrace.sinks.otlp.answer import Answer, Fate

Item = TypeVar("Item")
Given = TypeVar("Given", contravariant=True)

GATHER = 0.05
"""Seconds that the first of a batch waits for others, which come together anyway."""

LINGER = 0.1
"""Seconds in which what came at the last moment is still heard."""


class Route(Protocol[Given]):
    """Where batches go."""

    batch: int
    """Items that make a batch."""

    def handing(self, items: Sequence[Given]) -> None: ...
    def send(self, items: Sequence[Given], limit: float) -> Answer: ...
    def settled(self, items: Sequence[Given], answer: Answer) -> None: ...
    def dropped(self, items: Sequence[Given], answer: Answer) -> None: ...
    def delayed(self, answer: Answer) -> None: ...


class Outbox(Generic[Item]):
    """Items on their way."""

    def __init__(
        self,
        route: Route[Item],
        *,
        room: int,
        patience: Patience | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._route = route
        self._room = room
        self._batch = route.batch
        self._patience = patience or Patience()
        self._now = now
        self._waiting: deque[Item] = deque()
        self._since = 0.0
        self._changed = threading.Condition()
        self._busy = 0
        self._refused: Answer | None = None
        self._deadline: float | None = None
        self._thread = threading.Thread(target=self._serve, name="kvtrace-outbox", daemon=True)

    @property
    def full(self) -> bool:
        """Whether nothing more should be put in for now."""
        return len(self._waiting) >= self._room and self._refused is None

    @property
    def unsent(self) -> int:
        """How many are not sent yet, or on their way."""
        return len(self._waiting) + self._busy

    @property
    def idle(self) -> bool:
        """Whether all was sent."""
        with self._changed:
            return self.unsent == 0

    def put(self, items: Sequence[Item]) -> None:
        """Take these in; where the endpoint refuses all there is, the oldest make room."""
        if not items:
            return
        with self._changed:
            if not self._waiting:
                self._since = self._now()
            self._waiting.extend(items)
            over = len(self._waiting) - self._room
            if over > 0 and self._refused is not None:
                oldest = [self._waiting.popleft() for _ in range(over)]
                self._route.dropped(oldest, self._refused)
            self._changed.notify()

    def start(self) -> None:
        """Begin to send."""
        self._thread.start()

    def hurry(self, limit: float) -> None:
        """Send what is left within so many seconds, and end."""
        with self._changed:
            self._deadline = self._now() + limit
            self._changed.notify()

    def stop(self, limit: float) -> int:
        """Send what is left within so many seconds; how many were left after that.

        A call that began before may have longer, and is not waited for.
        """
        self.hurry(limit)
        self._thread.join(limit + LINGER)
        return self.unsent

    def take(self) -> list[Item]:
        """The next batch, which is from now on on its way."""
        with self._changed:
            count = min(self._batch, len(self._waiting))
            self._since = self._now()
            self._busy = count
            return [self._waiting.popleft() for _ in range(count)]

    def step(self, batch: Sequence[Item]) -> float:
        """Make one attempt; seconds to wait before the next. What is to be sent again is put back.

        The thread does nothing else.
        """
        self._route.handing(batch)
        answer = self._send(batch)
        wait = self._heed(answer, batch)
        self._busy = 0
        return wait

    def _heed(self, answer: Answer, batch: Sequence[Item]) -> float:
        self._refused = None
        if answer.fate is Fate.TAKEN:
            self._patience.succeed()
            self._batch = min(self._route.batch, self._batch * 2)
            self._route.settled(batch, answer)
            return 0.0
        if answer.fate is Fate.SMALLER and len(batch) > 1:
            self._batch = max(1, len(batch) // 2)
            self._put_back(batch)
            return self._patience.fail()
        if answer.fate is Fate.LATER:
            self._route.delayed(answer)
            self._put_back(batch)
        else:
            self._refused = answer
            self._route.settled(batch, answer)
        return self._patience.fail(answer.after)

    def _send(self, batch: Sequence[Item]) -> Answer:
        limit = 3600.0 if self._deadline is None else max(0.1, self._deadline - self._now())
        try:
            return self._route.send(batch, limit)
        except Exception as error:  # noqa: BLE001  (one batch that cannot be sent must not end all)
            return Answer(fate=Fate.NEVER, why=f"{type(error).__name__}: {error}")

    def _put_back(self, batch: Sequence[Item]) -> None:
        with self._changed:
            self._waiting.extendleft(reversed(batch))

    def _serve(self) -> None:
        while batch := self._next():
            wait = self.step(batch)
            with self._changed:
                self._pause(wait)

    def _next(self) -> list[Item]:
        """The next batch, when it is due; empty at the end."""
        with self._changed:
            while not self._is_due():
                if self._deadline is not None:
                    return []
                rest = GATHER - (self._now() - self._since)
                self._changed.wait(max(rest, 0.001) if self._waiting else None)
            if self._deadline is not None and self._now() >= self._deadline:
                return []
            return self.take()

    def _is_due(self) -> bool:
        if not self._waiting:
            return False
        old = self._now() - self._since >= GATHER
        return old or len(self._waiting) >= self._batch or self._deadline is not None

    def _pause(self, wait: float) -> None:
        """Wait so long; at the end, no longer than is left."""
        until = self._now() + wait
        while (left := min(until, self._deadline or until) - self._now()) > 0:
            stopping = self._deadline is not None
            self._changed.wait(left)
            if self._deadline is not None and not stopping:
                return
