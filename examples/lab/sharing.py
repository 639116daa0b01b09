"""Shares few cores between engines: each rank on its own core, and what only spins behind.

NIXL's progress thread polls without a pause, and vLLM's connector moves every rank's main thread,
which runs the model here, to the machine's last core. With cores to spare that is well; with two
for all, steps would wait for one another for seconds. A class counts only within a scheduler's
group, and Linux gives each session one: hence engines of one run share their starter's session.
"""

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import psutil
from psutil import Process

from lab.processes import role

WORKER = "VLLM::Worker"
ENOUGH = 2.0
"""Seconds of CPU time by which a thread beside a worker's main one has shown that it spins."""

_TICKS = os.sysconf("SC_CLK_TCK")


def settle(processes: Iterable[Process], cores: Sequence[int]) -> None:
    """Put each rank's main thread on its core, and its spinning threads behind all others."""
    found = list(processes)
    for process in found:
        with suppress(psutil.Error, OSError):
            named = role(" ".join(process.cmdline())) or ""
            if cores and named.startswith("worker "):
                core = cores[int(named.split()[1]) % len(cores)]
                os.sched_setaffinity(process.pid, {core})
    stand_back(found)


def stand_back(processes: Iterable[Process], proc: Path = Path("/proc")) -> list[int]:
    """Give the idle class to threads of workers that spin; their ids."""
    found = [thread for process in processes for thread in spinning(process.pid, proc)]
    for thread in found:
        with suppress(OSError):
            os.sched_setscheduler(thread, os.SCHED_IDLE, os.sched_param(0))
    return found


def spinning(pid: int, proc: Path = Path("/proc")) -> list[int]:
    """The threads of a worker, but its main one, that took much CPU time."""
    with suppress(OSError):
        if WORKER.encode() in (proc / str(pid) / "cmdline").read_bytes():
            threads = [int(name) for name in os.listdir(proc / str(pid) / "task")]
            return [t for t in threads if t != pid and _seconds(proc, pid, t) > ENOUGH]
    return []


def _seconds(proc: Path, pid: int, thread: int) -> float:
    with suppress(OSError):
        stat = (proc / str(pid) / "task" / str(thread) / "stat").read_text()
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / _TICKS
    return 0.0
