"""Plays moments at the pace at which they happened, or another, and can be told to pause."""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from threading import Event, RLock

from kvtrace.marks import Marks
from kvtrace.moments import Moment
from kvtrace.seeking import Target

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

        self.marks = Marks()
        """What is worth a mark, as far as the recording was looked through."""

        self.searched: float | None = None
        """How much of the way to where one wants to go is gone, from 0 to 1; None on no way."""

        self.said = ""
        """Why one did not get where one wanted, or what is wrong with the recording."""

        self.start = start
        self._speed = speed
        self.now = now
        self._sleep = sleep
        self._lock = RLock()
        self._paused = False
        self._over = False
        self._stopped = False
        self._reached = 0
        self._reached_at = now()
        self._begun = 0
        self._wanted: Target | None = None
        self._called = Event()

    @property
    def paused(self) -> bool:
        """Whether time stands still."""
        return self._paused

    @property
    def over(self) -> bool:
        """Whether it stands at the end, where time stands still as well."""
        return self._over

    @over.setter
    def over(self, over: bool) -> None:
        with self._lock:
            self._anchor(self.position)
            self._over = over

    @property
    def speed(self) -> float:
        """Recorded seconds in a second; infinite where it does not wait."""
        return self._speed

    @property
    def position(self) -> int:
        """Nanoseconds since the recording's start."""
        with self._lock:
            stands = self._paused or self._over or self.searched is not None
            if stands or self._speed == MAX:
                return self._reached
            return self._reached + int((self.now() - self._reached_at) * self._speed)

    def pause(self) -> None:
        """Lets time stand still."""
        with self._lock:
            self._anchor(self.position)
            self._paused = True
        self._called.set()

    def resume(self) -> None:
        """Lets time go on from where it stood."""
        with self._lock:
            self._anchor(self.position)
            self._paused = False
        self._called.set()

    def faster(self) -> None:
        """Goes to the next higher speed, if there is one."""
        self._change(next((speed for speed in SPEEDS if speed > self._speed), self._speed))

    def slower(self) -> None:
        """Goes to the next lower speed, if there is one."""
        lower = (speed for speed in reversed(SPEEDS) if speed < self._speed)
        self._change(next(lower, self._speed))

    def stop(self) -> None:
        """Ends what plays at its next step, also where it is paused."""
        self._stopped = True
        self._called.set()

    @property
    def stopped(self) -> bool:
        """Whether it was told to end."""
        return self._stopped

    def go(self, wanted: Target) -> None:
        """Asks to go there; who asks again before that is done goes only to the last."""
        with self._lock:
            self._wanted = wanted
            self.said = ""
        self._called.set()

    @property
    def called(self) -> bool:
        """Whether one wants to go elsewhere."""
        return self._wanted is not None or self._stopped

    def wanted(self) -> Target | None:
        """Where one wants to go, told once."""
        with self._lock:
            wanted, self._wanted = self._wanted, None
            return wanted

    def reach(self, position: int) -> None:
        """Stand at that position, and go on from there if it is not paused."""
        with self._lock:
            self._begun = position
            self._anchor(position)

    def search(self, gone: float | None) -> None:
        """Stand still while one is on the way to elsewhere, and this much of it is gone."""
        with self._lock:
            self._anchor(self.position)
            self.searched = gone

    def wait(self, seconds: float | None) -> None:
        """Waits so long, or for ever where None, or until one calls."""
        self._called.wait(seconds)
        self._called.clear()

    def play(self, moments: Iterable[Moment]) -> Iterator[Moment]:
        """The moments, each when it is due, and silent ones between so that waits are seen to grow.

        At the highest speed there are none between, and the moments are exactly those given.
        """
        for moment in moments:
            due = moment.at - self.start
            while not self._stopped and (ahead := self._ahead(due)) > 0:
                self._sleep(min(ahead, FRAME) / SECOND)
                yield Moment(self.start + min(self.position, due))
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
            if due < self._begun:
                return
            if self._speed == MAX or self.position - due > FRAME * self._speed:
                self._anchor(max(due, 0))

    def _anchor(self, position: int) -> None:
        self._reached, self._reached_at = position, self.now()

    def _change(self, speed: float) -> None:
        with self._lock:
            self._anchor(self.position)
            self._speed = speed
        self._called.set()
