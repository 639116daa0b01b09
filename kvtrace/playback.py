"""Plays moments at the pace at which they happened, or another, and can be told to pause."""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from threading import RLock

from kvtrace.moments import Moment

SPEEDS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
"""What `faster` and `slower` step through."""

MAX = math.inf
"""The speed that never waits."""

FRAME = 50_000_000
"""Nanoseconds of our time after which a waiting playback says that time passes."""

SECOND = 1_000_000_000


class Playback:
    """How fast a recording plays and where it is; every method can be called from any thread."""

    def __init__(
        self,
        start: int,
        *,
        length: int | None = None,
        speed: float = 1.0,
        now: Callable[[], int] = time.monotonic_ns,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Starts at `start`, in nanoseconds of the recorder's clock."""
        self.length = length
        """Nanoseconds; None where only playing tells."""

        self._start = start
        self._speed = speed
        self._now = now
        self._sleep = sleep
        self._lock = RLock()
        self._paused = False
        self._stopped = False
        self._reached = 0
        self._reached_at = now()

    @property
    def paused(self) -> bool:
        """Whether time stands still."""
        return self._paused

    @property
    def speed(self) -> float:
        """Recorded seconds in a second; infinite where it does not wait."""
        return self._speed

    @property
    def position(self) -> int:
        """Nanoseconds since the recording's start."""
        with self._lock:
            if self._paused or self._speed == MAX:
                return self._reached
            return self._reached + int((self._now() - self._reached_at) * self._speed)

    def pause(self) -> None:
        """Lets time stand still."""
        with self._lock:
            self._anchor(self.position)
            self._paused = True

    def resume(self) -> None:
        """Lets time go on from where it stood."""
        with self._lock:
            self._anchor(self.position)
            self._paused = False

    def faster(self) -> None:
        """Goes to the next higher speed, if there is one."""
        self._change(next((speed for speed in SPEEDS if speed > self._speed), self._speed))

    def slower(self) -> None:
        """Goes to the next lower speed, if there is one."""
        lower = (speed for speed in reversed(SPEEDS) if speed < self._speed)
        self._change(next(lower, self._speed))

    def stop(self) -> None:
        """Ends `play` at its next step, also where it is paused."""
        self._stopped = True

    def play(self, moments: Iterable[Moment]) -> Iterator[Moment]:
        """The moments, each when it is due, and silent ones between so that waits are seen to grow.

        At the highest speed there are none between, and the moments are exactly those given.
        """
        for moment in moments:
            due = moment.at - self._start
            while not self._stopped and (ahead := self._ahead(due)) > 0:
                self._sleep(min(ahead, FRAME) / SECOND)
                yield Moment(self._start + min(self.position, due))
            if self._stopped:
                return
            self._arrive(due)
            yield moment

    def _ahead(self, due: int) -> int:
        """Nanoseconds of our time until this position is due."""
        with self._lock:
            if self._paused:
                return FRAME
            return 0 if self._speed == MAX else math.ceil((due - self.position) / self._speed)

    def _arrive(self, due: int) -> None:
        """Takes the position back to what was played, where reading is slower than the speed."""
        with self._lock:
            if self._speed == MAX or self.position - due > FRAME * self._speed:
                self._anchor(max(due, 0))

    def _anchor(self, position: int) -> None:
        self._reached, self._reached_at = position, self._now()

    def _change(self, speed: float) -> None:
        with self._lock:
            self._anchor(self.position)
            self._speed = speed
