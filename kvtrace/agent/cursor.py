"""How far signals were sent, in a file that outlives the agent."""

import os
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from kvtrace.agent.handed import Handed, Known

NAME = "agent.cursor"
VERSION = 1

COUNTED = ("unreadable", "unknown", "ledger_full")
"""The losses that a black box tells anew to whoever begins to read it."""


class Sent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was sent of one process."""

    logs: int = 0
    """Log records of events up to this one were taken."""

    ended: bool = False
    """Whether it was told that the process is gone."""

    lost: dict[str, int] = {}
    """What was told lost of what a black box counts, by the name it has in `Lost`."""


class _Kept(msgspec.Struct, kw_only=True):
    version: int = VERSION
    clock: str = ""
    stalls: int = 0
    processes: dict[str, Sent] = {}
    refused: int = 0
    unreadable: list[str] = []
    spans: Known = msgspec.field(default_factory=Known)


class Cursor:
    """Threads may share it. What it says is on disk after `write`, whole or as it was before."""

    def __init__(
        self,
        directory: Path,
        clock: str = "",
        tell: Callable[[str], object] = lambda said: None,
    ) -> None:
        """Read what an earlier agent left; where that cannot be read, begin anew and tell.

        `clock` is the boot id that the instants of stalls belong to.
        """
        self._path = directory / NAME
        self._tell = tell
        self._lock = threading.Lock()
        self._warned = False
        self._dirty = False
        self._kept = self._read()
        self._before = dict(self._kept.processes)
        self._handed = Handed(self._kept.spans)
        self._known_before = msgspec.convert(msgspec.to_builtins(self._kept.spans), Known)
        self.stalls_before = self._kept.stalls if self._kept.clock == clock else 0
        """Up to when an earlier agent had handed over spans of stalls."""

        self._kept.clock, self._kept.stalls = clock, self.stalls_before
        self.doubtful = len(self._kept.spans.open)
        """Spans of which nobody can know whether an earlier agent's were taken."""

        self._handed.answered()
        self._telling = 0

    @property
    def unreadable(self) -> tuple[str, ...]:
        """The files that were told to be unreadable."""
        return tuple(self._kept.unreadable)

    def before(self, process: str) -> Sent:
        """What an earlier agent had sent of this process."""
        return self._before.get(process, _NOTHING)

    def was_handed(self, span: str, process: str, seq: int) -> bool:
        """Whether an earlier agent may have sent the span that this event completed."""
        return self._known_before.has(span, process, seq)

    def advance(self, process: str, *, logs: int = 0, ended: bool = False) -> None:
        """Take note of what was sent; nothing is ever taken back."""
        with self._lock:
            known = self._kept.processes.get(process, _NOTHING)
            self._kept.processes[process] = Sent(
                logs=max(known.logs, logs), ended=known.ended or ended, lost=known.lost
            )
            self._dirty = True

    def lose(self, process: str, counts: Mapping[str, int]) -> None:
        """Take note of losses that were told; those of no process are nobody's to tell again."""
        more = {name: count for name in COUNTED if (count := counts.get(name, 0))}
        if not process or not more:
            return
        with self._lock:
            known = self._kept.processes.get(process, _NOTHING)
            lost = {**known.lost}
            for name, count in more.items():
                lost[name] = lost.get(name, 0) + count
            self._kept.processes[process] = msgspec.structs.replace(known, lost=lost)
            self._dirty = True

    def complain(self, files: Iterable[str]) -> None:
        """Take note of files that were told to be unreadable."""
        with self._lock:
            new = [name for name in files if name not in self._kept.unreadable]
            self._kept.unreadable += new
            self._dirty = self._dirty or bool(new)

    def owe(self, count: int) -> None:
        """Take note of log records that the endpoint refused, which is to be told."""
        with self._lock:
            self._kept.refused += count
            self._dirty = True

    def take_owed(self) -> int:
        """How many of those nobody is being told of yet; from now on they are."""
        with self._lock:
            owed = self._kept.refused - self._telling
            self._telling += owed
            return owed

    def settle(self, count: int, *, told: bool) -> None:
        """Take note that so many of those were told; or that telling was refused as well."""
        with self._lock:
            self._telling -= count
            if told and count:
                self._kept.refused -= count
                self._dirty = True

    def hand(self, spans: Iterable[tuple[str, str, int]], stalls: int = 0) -> None:
        """Take note of spans about to be sent: their ids, and the events behind them."""
        with self._lock:
            self._handed.hand(spans)
            self._kept.stalls = max(self._kept.stalls, stalls)
            self._dirty = True

    def answered(self) -> None:
        """Take note that the spans handed over last are in doubt no longer."""
        with self._lock:
            self._handed.answered()
            self._dirty = True

    def keep(self, processes: Collection[str]) -> None:
        """Forget all processes but these."""
        with self._lock:
            gone = self._kept.processes.keys() - set(processes)
            for process in gone:
                del self._kept.processes[process]
            self._handed.keep(processes)
            files = [name for name in self._kept.unreadable if Path(name).stem in processes]
            self._dirty = self._dirty or bool(gone) or files != self._kept.unreadable
            self._kept.unreadable = files

    def write(self) -> None:
        """Put it on disk, if anything is new; where that cannot be, tell so once and go on."""
        with self._lock:
            if not self._dirty:
                return
            self._dirty = False
            try:
                self._replace(msgspec.json.encode(self._kept))
                self._warned = False
            except OSError as error:
                self._dirty = True
                self._warn(error)

    def _replace(self, raw: bytes) -> None:
        new = self._path.with_name(NAME + ".new")
        opened = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        try:
            with os.fdopen(opened, "wb") as file:
                file.write(raw)
            new.replace(self._path)
        except OSError:
            # Half of it would take the room that black boxes need as well.
            with suppress(OSError):
                new.unlink()
            raise

    def _warn(self, error: OSError) -> None:
        if not self._warned:
            self._warned = True
            self._tell(
                f"{self._path} cannot be written ({error.strerror}): sending goes on, but an agent "
                "that is started anew will send again what was sent; make room there"
            )

    def _read(self) -> _Kept:
        try:
            kept = msgspec.json.decode(self._path.read_bytes(), type=_Kept)
        except FileNotFoundError:
            return _Kept()
        except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            self._tell(f"{self._path} cannot be read ({error}): what was sent may be sent again")
            return _Kept()
        return kept if kept.version == VERSION else _Kept()


_NOTHING = Sent()
