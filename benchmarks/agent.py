"""What the agent costs: events a second on one core, its share of a core at a pace, its memory.

Two black boxes for each pair of engines are filled with whole transfers, and an agent as a process
of its own sends them, as log records and as spans, to an endpoint in this process that takes
everything. What is said at a pace is said by yet another process. What counts is the agent's own
CPU time, without what it spends on starting.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from benchmarks.measure import Row, promised
from tests.integration.agents import ROOT, Engines, environment
from tests.integration.sink import Kept, grpc_sink

MEMORY = Path("/dev/shm")
"""Where black boxes are when nobody says otherwise."""

PAIRS = 4
"""Of engines, whose boxes are full when the agent comes."""

TRANSFERS = 1_350
"""Of each pair: as many as its rings hold whole."""

PACES = (1_000, 5_000)
"""Events a second."""

MOST = 8.0
"""Percent of a core that 1,000 events a second may cost, where 5 is the aim."""

MOST_LIVE = 12.0
"""The same as they happen."""

MOST_MEMORY = 150
"""MB."""

SECONDS = 15
"""For which a pace is held."""

HELD = 0.95
"""Share of a pace that must be reached; the row of one that is not says so."""

TICK = os.sysconf("SC_CLK_TCK")


class Spent(msgspec.Struct, frozen=True):
    """What a process used from its start to its end."""

    cpu: float
    """Seconds."""

    peak: int
    """Bytes."""


class Counted(Kept):
    """Keeps nothing but how much came."""

    def __init__(self) -> None:
        super().__init__()
        self.size = 0

    def take(self, method: str, body: bytes, headers: dict[str, str]) -> bytes:
        """Take all."""
        self.size += len(body)
        return b""


def run() -> list[Row]:
    """The table."""
    with grpc_sink(Counted()) as port:
        where = f"http://127.0.0.1:{port}"
        with directory() as empty:
            start = once(empty, where)
        rows = [
            caught_up("logs and spans", where, start),
            caught_up("logs only", where, start, OTEL_TRACES_EXPORTER="none"),
            caught_up("spans only", where, start, OTEL_LOGS_EXPORTER="none"),
        ]
        rows.append(paced("idle, 2 engines", where, 0))
        rows += [paced(f"{pace} events a second, as they happen", where, pace) for pace in PACES]
    return rows


@contextmanager
def directory() -> Iterator[Path]:
    """A place for black boxes."""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as made:
        yield Path(made)


def caught_up(work: str, where: str, start: Spent, **environ: str) -> Row:
    """Send what full boxes hold."""
    with directory() as boxes:
        pairs = [Engines(boxes) for _ in range(PAIRS)]
        for which, pair in enumerate(pairs):
            for number in range(TRANSFERS):
                pair.transfer(f"r{which}-{number}")
        spent = once(boxes, where, **environ)
        events = sum(pair.events for pair in pairs)
        for pair in pairs:
            pair.close()
    rate = events / (spent.cpu - start.cpu)
    return row(f"{work}, {events} events at once", rate, 1_000 / rate, spent.peak, MOST)


def paced(work: str, where: str, pace: int) -> Row:
    """Send what engines say at a pace."""
    with directory() as boxes, speaking(boxes, pace) as engines:
        agent = started(boxes, where)
        time.sleep(4)
        before = cpu(agent.pid)
        events, passed = said(engines)
        share = (cpu(agent.pid) - before) / passed
        engines.communicate()
        peak = ended(agent).peak
    rate = events / passed
    per_thousand = share / (rate / 1_000) if pace else share
    held = rate >= HELD * pace
    return row(work if held else f"{work}: not held", rate, per_thousand, peak)


@contextmanager
def speaking(boxes: Path, pace: int) -> Iterator["subprocess.Popen[bytes]"]:
    """Engines in a process of their own, which are ready to speak for so many seconds."""
    words = ("-m", "benchmarks.saying", str(boxes), str(pace), str(SECONDS))
    engines = subprocess.Popen(
        [sys.executable, *words],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    )
    try:
        assert engines.stdout is not None
        engines.stdout.readline()
        yield engines
    finally:
        engines.kill()
        engines.communicate()


def said(engines: "subprocess.Popen[bytes]") -> tuple[int, float]:
    """How many events they say when they are let go, and in how many seconds."""
    assert engines.stdin is not None
    assert engines.stdout is not None
    engines.stdin.write(b"\n")
    engines.stdin.flush()
    events, passed = engines.stdout.readline().split()
    return int(events), float(passed)


def row(work: str, rate: float, share: float, peak: int, most: float = MOST_LIVE) -> Row:
    """One line."""
    holds = 0 < 100 * share <= most and peak <= MOST_MEMORY * 1e6
    return {
        "work": work,
        "events a second": f"{rate:,.0f}",
        "of a core, for 1,000 a second": f"{100 * share:.1f} %",
        "peak memory": f"{peak / 1e6:.0f} MB",
        "at most": promised(f"{most:.0f} % and {MOST_MEMORY} MB", holds),
    }


def once(boxes: Path, where: str, **environ: str) -> Spent:
    """What an agent uses that sends what is there, and ends."""
    return ended(started(boxes, where, "--once", **environ))


def started(boxes: Path, where: str, *more: str, **environ: str) -> "subprocess.Popen[bytes]":
    """An agent."""
    words = ("-m", "kvtrace", "agent", "--dir", str(boxes), "--endpoint", where, *more)
    return subprocess.Popen(
        [sys.executable, *words],
        env=environment(**environ),
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
    )


def ended(agent: "subprocess.Popen[bytes]") -> Spent:
    """What it used, once it has ended."""
    _, status, used = os.wait4(agent.pid, 0)
    agent.returncode = os.waitstatus_to_exitcode(status)
    return Spent(used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)


def cpu(pid: int) -> float:
    """Seconds of CPU time that the process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK
