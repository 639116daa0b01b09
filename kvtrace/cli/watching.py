"""Turns moments into snapshots that tell the time of day, alike for what is live and replayed."""

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from kvtrace import __version__
from kvtrace.errors import KvtraceError
from kvtrace.moments import Moment
from kvtrace.recording import VERSION, Header
from kvtrace.snapshot import Snapshot

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Reopened:
    """Snapshots of a source that is opened anew where one asks on after its error."""

    def __init__(self, opened: Callable[[], Iterator[Snapshot]]) -> None:
        self._opened = opened
        self._present: Iterator[Snapshot] | None = None

    def __iter__(self) -> Iterator[Snapshot]:
        return self

    def __next__(self) -> Snapshot:
        if self._present is None:
            self._present = self._opened()
        try:
            return next(self._present)
        except (KvtraceError, OSError):
            self._present = None
            raise

    def close(self) -> None:
        """Let go of the source."""
        close = getattr(self._present, "close", None)
        if close is not None:
            close()


def started(boot_id: Path = BOOT_ID) -> Header:
    """What time it is now, by this host's clocks, as a recording begins."""
    try:
        clock = boot_id.read_text(encoding="ascii").strip()
    except OSError:
        clock = ""
    return Header(
        kvtrace=VERSION,
        version=__version__,
        started_at=time.time_ns(),
        monotonic=time.monotonic_ns(),
        clock=clock,
    )


def snapshots(
    moments: Iterable[Moment], start: Header, *, every: int | None = None
) -> Iterator[Snapshot]:
    """What is known after so many nanoseconds of these moments, each time, on that clock."""
    # The rules take longer to import than all the rest, and help needs none of them.
    from kvtrace import monitor

    pace = monitor.EVERY if every is None else every
    for snapshot in monitor.watch(moments, clock=start.clock, every=pace):
        wall = start.started_at + snapshot.at - start.monotonic
        yield msgspec.structs.replace(snapshot, wall=wall) if start.started_at else snapshot
