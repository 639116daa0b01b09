"""Plays a recording that one can go back and forth in.

The thread that asks for snapshots walks; another makes the survey and only leaves checkpoints and
marks. `Playback` is what all sides share: asking it to go elsewhere wakes the player.
"""

from collections.abc import Callable, Iterator

from kvtrace.checkpoints import Checkpoints
from kvtrace.playback import MAX, Playback
from kvtrace.seeking import Span, Step, Target, found
from kvtrace.snapshot import Snapshot
from kvtrace.walk import Walk

SECOND = 1_000_000_000
FRAME = SECOND // 10
"""Nanoseconds of our time between two snapshots while it plays."""

OFTEN = 1_000
"""Moments between two looks at whether one is wanted elsewhere, or has worked for a frame."""

BACK = (10_000, 300)
"""Moments before an end of a step back, where a checkpoint makes the next step a short one."""


class Player:
    """Yields what was known at each position that a playback comes to."""

    def __init__(
        self,
        walk: Walk,
        playback: Playback,
        span: Span,
        *,
        kept: Checkpoints,
        first: Callable[[str], int | None],
    ) -> None:
        """`first` finds the first event of a transfer by a part of its id."""
        self._walk = walk
        self._start = walk.at
        self._playback = playback
        self._span = span
        self._kept = kept
        self._first = first
        self._now = playback.now
        kept.keep(walk.checkpoint)

    def snapshots(self) -> Iterator[Snapshot]:
        """What is known, again and again, until the playback is stopped."""
        playback = self._playback
        while not playback.stopped:
            wanted = playback.wanted()
            if wanted is not None:
                self._go(wanted)
            busy = self._advance()
            if playback.called:
                continue
            yield self.look(self._start + playback.position)
            if not busy:
                playback.wait(None if playback.paused or playback.over else FRAME / SECOND)

    def look(self, at: int) -> Snapshot:
        """What is known at that instant, once all up to it was taken in."""
        return self._walk.look(at)

    def go_to(self, at: int) -> bool:
        """Take in all up to an instant, and no more; whether one was not called elsewhere."""
        return self._walk_to(at=at)

    def _advance(self) -> bool:
        """Take in what is due; whether more is due than a frame has time for."""
        playback, walk = self._playback, self._walk
        if playback.paused:
            return False
        began = self._now()
        while walk.ahead is not None and self._is_due(walk.ahead.at):
            walk.take()
            if walk.taken % OFTEN == 0 and self._late(began):
                playback.reach(walk.at - self._start)
                return True
        if walk.ahead is None:
            self._end()
        elif playback.speed == MAX:
            playback.reach(walk.at - self._start)
        return False

    def _is_due(self, at: int) -> bool:
        playback = self._playback
        return playback.speed == MAX or at - self._start <= playback.position

    def _late(self, began: int) -> bool:
        return self._playback.called or self._now() - began > FRAME

    def _end(self) -> None:
        """Stand at the end."""
        playback = self._playback
        playback.over = True
        playback.reach(self._walk.at - self._start)
        playback.said = self._walk.damage

    def _go(self, wanted: Target) -> None:
        playback = self._playback
        playback.over = False
        if isinstance(wanted, Step):
            self._step(wanted.events)
            return
        here = min(playback.position, self._span.length or playback.position)
        place = found(wanted, self._with(here), self._first)
        if isinstance(place, str):
            playback.said = place
            playback.over = self._walk.ahead is None
            return
        if self.go_to(self._start + place):
            playback.reach(place)

    def _with(self, here: int) -> Span:
        return Span(
            started_at=self._span.started_at,
            length=self._span.length,
            here=here,
            zone=self._span.zone,
        )

    def _step(self, events: int) -> None:
        """Go so many events on, or back, and stand there."""
        walk = self._walk
        self._playback.pause()
        # A step back from between two events goes to the one before.
        between = self._start + self._playback.position > walk.at
        goal = walk.taken + events + (between and events < 0)
        if self._walk_to(taken=max(goal, 0)):
            self._playback.reach(walk.at - self._start)
            self._playback.over = walk.ahead is None

    def _walk_to(self, *, at: int | None = None, taken: int | None = None) -> bool:
        """Take in all up to an instant, or so many; whether one was not called elsewhere."""
        walk, playback = self._walk, self._playback
        nearest = self._kept.before(at, taken)
        behind = walk.at > at if at is not None else walk.taken > (taken or 0)
        if nearest is not None and (behind or nearest.taken > walk.taken):
            walk.go(nearest)
        began, first = self._now(), walk.taken
        while not self._is_there(at, taken):
            walk.take()
            if taken is not None and taken - walk.taken in BACK:
                self._kept.keep_near(walk.checkpoint)
            if walk.taken % OFTEN:
                continue
            if self._kept.wants(walk.taken):
                self._kept.keep(walk.checkpoint)
            if playback.called:
                playback.search(None)
                return False
            if self._now() - began > FRAME:
                playback.search(self._gone(first, at, taken))
        playback.search(None)
        return True

    def _is_there(self, at: int | None, taken: int | None) -> bool:
        walk = self._walk
        if walk.ahead is None:
            return True
        return walk.ahead.at > at if at is not None else walk.taken >= (taken or 0)

    def _gone(self, first: int, at: int | None, taken: int | None) -> float:
        """How much of the whole way is behind."""
        if taken is not None:
            return (self._walk.taken - first) / max(taken - first, 1)
        return (self._walk.at - self._start) / max((at or 0) - self._start, 1)
