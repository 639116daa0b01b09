"""Looks whether processes that live also run, and tells so now and then, or when it changes."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal, TypeAlias

from kvtrace.black_box import Header
from kvtrace.moments import Watched

EVERY = 5_000_000_000
"""Nanoseconds between two words on the same process."""

PROC = Path("/proc")
_STOPPED = frozenset("Tt")
"""The kernel's letters for a process stopped by a signal, or by a debugger."""

State: TypeAlias = Literal["running", "frozen"]


class Pulse:
    """What was told of each process, and when."""

    def __init__(self, look: Callable[[Header], State] | None = None) -> None:
        self._look = look or Stopped().look
        self._told: dict[str, tuple[int, State]] = {}

    def feel(self, living: Iterable[Header], now: int) -> list[Watched]:
        """What is to be told now of these living processes."""
        told, found = {}, []
        for header in living:
            state = self._look(header)
            known = self._told.get(header.process)
            if known is None or known[1] != state or now - known[0] >= EVERY:
                known = now, state
                found.append(Watched(process=header.process, state=state))
            told[header.process] = known
        self._told = told
        return found


class Stopped:
    """Knows by the kernel which processes are stopped, where it can be seen from here."""

    def __init__(self, proc: Path = PROC) -> None:
        self._proc = proc
        self._ours: dict[str, bool] = {}

    def look(self, header: Header) -> State:
        """Whether the process stands still; it runs as far as we know where we cannot see it."""
        if header.process not in self._ours:
            self._ours[header.process] = self._has_box(header)
        if not self._ours[header.process]:
            return "running"
        try:
            stat = (self._proc / str(header.pid) / "stat").read_text(errors="replace")
        except OSError:
            return "running"
        return "frozen" if stat.rpartition(") ")[2][:1] in _STOPPED else "running"

    def _has_box(self, header: Header) -> bool:
        """Whether the process of that number, seen from here, is the one that writes the box.

        In another pid namespace the same number may be anybody's.
        """
        try:
            maps = (self._proc / str(header.pid) / "maps").read_text(errors="replace")
        except OSError:
            return False
        return header.process in maps
