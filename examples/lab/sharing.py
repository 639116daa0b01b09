"""Shares few cores between engines: each rank on its own core, and what only spins behind.

NIXL's progress thread polls without a pause, and vLLM's connector moves every rank's main thread,
which runs the model here, to the machine's last core. With cores to spare that is well; with two
for all, steps would wait for one another for seconds. A priority counts only within a scheduler's
group, and Linux gives each session one: hence engines of one run share their starter's session.

A thread that spins never gives up its core by itself. One that does, such as the writer, does work
that others wait for, however much time that took. Who spins stands back but is not shut out: it
holds NIXL's lock now and then, and a writer would wait for seconds until it runs and lets go.
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
"""Seconds of CPU time by which a thread that gives up its core seldom has shown that it spins."""

SELDOM = 5
"""Times in each of those seconds: a thread that waits for anything does so hundreds of times."""

BEHIND = 10
"""The niceness of who spins: a tenth of what a thread with work gets."""

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
    """Let threads of workers that spin come after those with work; their ids."""
    found = [thread for process in processes for thread in spinning(process.pid, proc)]
    for thread in found:
        stand_behind(thread)
    return found


def stand_behind(thread: int) -> None:
    """Let this thread come after those with work."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, thread, BEHIND)


def spinning(pid: int, proc: Path = Path("/proc")) -> list[int]:
    """The threads of a worker, but its main one, that took much CPU time without a pause."""
    with suppress(OSError):
        if WORKER.encode() in (proc / str(pid) / "cmdline").read_bytes():
            threads = [int(name) for name in os.listdir(proc / str(pid) / "task")]
            return [t for t in threads if t != pid and _spins(proc / str(pid) / "task" / str(t))]
    return []


def _spins(task: Path) -> bool:
    with suppress(OSError, IndexError):
        user, system = (task / "stat").read_text().rpartition(")")[2].split()[11:13]
        seconds = (int(user) + int(system)) / _TICKS
        return seconds > ENOUGH and _pauses(task) < SELDOM * seconds
    return False


def _pauses(task: Path) -> int:
    """How often the thread gave up its core by itself."""
    lines = (task / "status").read_text().splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt")), 0)
