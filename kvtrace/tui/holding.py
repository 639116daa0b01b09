"""What is known, what of it is shown, and how the snapshots come."""

from kvtrace.playback import Playback
from kvtrace.snapshot import Snapshot
from kvtrace.tui import pace
from kvtrace.tui.frame import NOTHING, Mode, Status


class Holding:
    """The newest snapshot, and the one that is held while a person reads it."""

    def __init__(self, source: str, playback: Playback | None) -> None:
        self.latest: Snapshot = NOTHING
        self._source = source
        self._playback = playback
        self._held: Snapshot | None = None
        self._end: Status | None = None

    @property
    def shown(self) -> Snapshot:
        """What is to be drawn."""
        return self._held or self.latest

    @property
    def status(self) -> Status:
        """How the snapshots come."""
        if self._end is not None:
            return self._end
        if self._playback is not None:
            return pace.replay(self._playback)
        return pace.live(self.latest, self._held)

    def take(self, snapshot: Snapshot) -> bool:
        """Take in a newer one; whether it is the first."""
        first = self.latest is NOTHING
        if self._end is not None and self._end.mode is Mode.LOST:
            self._end = None
        self.latest = snapshot
        return first

    def missed(self, snapshot: Snapshot) -> int | None:
        """Nanoseconds that this one comes after a source was lost; None where it was not."""
        lost = self._end is not None and self._end.mode is Mode.LOST
        return max(snapshot.at - self.latest.at, 0) if lost else None

    def end(self, reason: str | None) -> None:
        """There will be no more, for that reason; None where that is well."""
        self._end = pace.over(reason, self._source, self._playback)
        self._held = None

    def pause(self) -> None:
        """Hold the picture, or a replay's time; or let it go on."""
        if self._end is not None:
            return
        if self._playback is None:
            self._held = self.latest if self._held is None else None
        elif self._playback.paused:
            self._playback.resume()
        else:
            self._playback.pause()
