"""The live screen on a real terminal: how long keys take, its CPU time, its memory, its start."""

import fcntl
import json
import os
import pty
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from benchmarks.measure import Row, promised

ROOT = Path(__file__).parents[1]
KEYS = 150
PAUSE = 0.23
"""Seconds between two keys, so that they fall anywhere between two drawings."""

PATIENCE = 20.0
LONGEST = 60.0
"""Seconds for all keys of one run, so that a machine that is busy otherwise ends it too."""

LOST = 2.0
"""Seconds after which a key is taken for lost."""

OPENS, OPENED = "/", "age>30s"
"""A key, and what it brings."""

CLOSES, CLOSED = "\x1b[B", "waited"
"""The key that takes that away, or else only moves the cursor; and what is drawn again then.
Who presses the first key before that types into what is still open."""

LEAVES = "\x1b"
"""The key that takes it away whatever was typed."""

LAST_WORDS = 4_000
IN_FLIGHT = (100, 1_000, 10_000)
KEY_P99, CPU_1000, FIRST = 0.100, 0.50, 0.7
TICKS = os.sysconf("SC_CLK_TCK")


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What one run cost; times are in seconds, `cpu` is the share of a core."""

    keys: int
    p99: float
    median: float
    cpu: float
    memory: int
    grown: int
    """Bytes of it that came while keys were pressed, and transfers only took the others' place."""

    rate: float
    """Events a second, once all in flight had begun: 5,000 where the screen keeps up."""


class Terminal:
    """A program on a terminal of 120x40, and what it draws."""

    def __init__(self, *words: str) -> None:
        self.began = time.perf_counter()
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        path = os.pathsep.join([str(ROOT), str(ROOT / "connector")])
        self._run = subprocess.Popen(
            [sys.executable, *words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": path, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"},
        )
        os.close(theirs)
        self._ours = ours
        self._last = ""

    def read(self, seconds: float) -> str:
        """What was drawn meanwhile; empty where nothing was."""
        if not select.select([self._ours], [], [], seconds)[0]:
            return ""
        try:
            drawn = os.read(self._ours, 1 << 16).decode(errors="replace")
        except OSError as error:
            raise RuntimeError(f"it ended by itself; its last words: {self._last}") from error
        self._last = (self._last + drawn)[-LAST_WORDS:]
        return drawn

    def settle(self, seconds: float) -> None:
        """Read on for so long."""
        until = time.perf_counter() + seconds
        while (left := until - time.perf_counter()) > 0:
            self.read(left)

    def press(self, key: str) -> None:
        """As a person would."""
        os.write(self._ours, key.encode())

    def shown(self, key: str, word: str) -> float:
        """Seconds from the key until what it brings is drawn."""
        drawn, began = "", time.perf_counter()
        self.press(key)
        while word not in drawn and time.perf_counter() - began < LOST:
            drawn += self.read(1)
        return time.perf_counter() - began

    def until(self, word: str) -> float:
        """Seconds from the start of the process until that was drawn."""
        drawn = ""
        while word not in drawn and time.perf_counter() - self.began < PATIENCE:
            drawn += self.read(1)
        return time.perf_counter() - self.began

    @property
    def cpu(self) -> float:
        """Seconds of CPU so far."""
        fields = Path(f"/proc/{self._run.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    @property
    def memory(self) -> int:
        """Bytes that it holds."""
        pages = int(Path(f"/proc/{self._run.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def quit(self) -> None:
        """Leave it as a person would, and make sure."""
        self.press("q")
        try:
            until = time.monotonic() + PATIENCE
            while self._run.poll() is None and time.monotonic() < until:
                self.read(0.1)
        except (OSError, RuntimeError):
            pass
        if self._run.poll() is None:
            self._run.send_signal(signal.SIGKILL)
        self._run.wait()
        os.close(self._ours)


@contextmanager
def terminal(*words: str) -> Iterator[Terminal]:
    """It, left at the end."""
    made = Terminal(*words)
    try:
        yield made
    finally:
        made.quit()


def run() -> list[Row]:
    """Rows: what it is of, what was seen, what was promised."""
    first = first_frame()
    rows = [_row("start to first frame", f"{first:.2f} s", f"<= {FIRST} s", first <= FIRST)]
    memory = {}
    for flying in IN_FLIGHT:
        seen, said = watched(flying)
        memory[flying] = seen.memory
        rows += _of(flying, seen, said)
    least, most = IN_FLIGHT[0], IN_FLIGHT[-1]
    each = (memory[most] - memory[least]) / (most - least)
    return [*rows, _row("memory for each transfer in flight", f"{each / 1e3:.1f} kB")]


def _of(flying: int, seen: Seen, said: dict[str, int]) -> list[Row]:
    name = f"{flying:,} in flight: "
    slow, lost = seen.p99 > KEY_P99, said["fed"] - said["shown"]
    cpu = f"<= {CPU_1000:.0%}" if flying == 1_000 else ""
    return [
        _row(
            f"{name}key to drawn change, p99 of {seen.keys}",
            _ms(seen.p99),
            f"<= {_ms(KEY_P99)}",
            not slow,
        ),
        _row(f"{name}the same, median", _ms(seen.median)),
        _row(f"{name}of a core", f"{seen.cpu:.0%}", cpu, seen.cpu <= CPU_1000 or not cpu),
        _row(f"{name}events lost, of {said['fed']:,}", str(lost), "0", not lost),
        _row(f"{name}forgotten", f"{said['forgotten']:,}", "0", not said["forgotten"]),
        _row(f"{name}events a second", f"{seen.rate:,.0f}"),
        _row(f"{name}in flight at the end", f"{said['waiting']:,}"),
        _row(f"{name}memory", f"{seen.memory / 1e6:.0f} MB"),
        _row(
            f"{name}of it grown over some {said['finished']:,} that finished",
            f"{seen.grown / 1e6:.1f} MB",
        ),
    ]


def first_frame() -> float:
    """Median seconds from the start of `kvtrace live` until its first frame is drawn."""
    taken = []
    with tempfile.TemporaryDirectory() as empty:
        for _ in range(5):
            with terminal("-m", "kvtrace", "live", "--dir", empty) as screen:
                taken.append(screen.until("Fleet"))
    return statistics.median(taken)


def watched(flying: int) -> tuple[Seen, dict[str, int]]:
    """What keys, CPU and memory are with so many in flight, and what the screen had shown."""
    with tempfile.TemporaryDirectory() as where:
        said = Path(where) / "said.json"
        with terminal("-m", "benchmarks.scaled", str(flying), str(said)) as screen:
            screen.until("scaled-")
            screen.settle(5 + flying / 1_000)
            spent, began = screen.cpu, time.perf_counter()
            screen.settle(10)
            share = (screen.cpu - spent) / (time.perf_counter() - began)
            taken, held = [], screen.memory
            began = time.perf_counter()
            while len(taken) < KEYS and time.perf_counter() - began < LONGEST:
                taken.append(screen.shown(OPENS, OPENED))
                screen.shown(LEAVES if taken[-1] > LOST else CLOSES, CLOSED)
                screen.settle(PAUSE)
            memory = screen.memory
        told = json.loads(said.read_text())
    taken.sort()
    seen = Seen(
        keys=len(taken),
        p99=taken[len(taken) * 99 // 100 - 1],
        median=statistics.median(taken),
        cpu=share,
        memory=memory,
        grown=memory - held,
        rate=told["paced"] / told["seconds"] if told["seconds"] else 0.0,
    )
    return seen, told


def _row(what: str, figure: str, promise: str = "", holds: bool = True) -> Row:
    return {"what": what, "figure": figure, "at most": promised(promise, holds)}


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.0f} ms"
