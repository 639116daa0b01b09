"""Finds the processes of an engine or of a whole run, and ends them without a trace."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
from psutil import Process

from lab.launch import RUN_VARIABLE

SHARED_MEMORY = Path("/dev/shm")


def tree(root: int) -> list[Process]:
    """Return the process and all that come from it; empty when it is gone."""
    try:
        process = Process(root)
        return [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def of_run(run: Path) -> list[Process]:
    """Return all processes, wherever they hang in the tree, that were started for a run."""
    return [process for process in psutil.process_iter() if _run_of(process) == str(run)]


def role(command_line: str) -> str | None:
    """Name a process by its command line: `api`, `core`, `worker 0`, `worker 1`, …, or nothing."""
    if "VLLM::EngineCore" in command_line:
        return "core"
    if "VLLM::Worker" in command_line:
        return f"worker {_rank(command_line)}"
    return "api" if "vllm serve " in command_line else None


def roles(root: int) -> dict[str, int]:
    """Return the pid of each process of an engine by its role."""
    found = {}
    for process in tree(root):
        with suppress(psutil.Error):
            found[role(" ".join(process.cmdline()))] = process.pid
    return {name: pid for name, pid in found.items() if name is not None}


def end(
    processes: Callable[[], Iterable[Process]],
    grace: float,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Let processes end by themselves for a while, then kill them; leave no shared memory.

    Args:
        processes: finds those that still live.
    """
    mapped: set[Path] = set()
    deadline = clock() + grace
    while (living := list(_alive(processes()))) and clock() < deadline:
        mapped |= shared_memory(living)
        psutil.wait_procs(living, timeout=0.1)
    for process in living:
        with suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(living, timeout=5)
    remove(mapped)


def remove(mapped: Iterable[Path]) -> None:
    """Remove shared memory that nobody uses any more."""
    for path in mapped:
        path.unlink(missing_ok=True)


def _alive(processes: Iterable[Process]) -> Iterator[Process]:
    for process in processes:
        with suppress(psutil.Error):
            if process.status() != psutil.STATUS_ZOMBIE:
                yield process


def shared_memory(processes: Iterable[Process]) -> set[Path]:
    """Return what the processes have mapped directly below /dev/shm: black boxes lie deeper."""
    return {path for process in processes for path in _mapped(process.pid)}


def _mapped(pid: int) -> Iterator[Path]:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/maps").read_text(encoding="utf-8").splitlines():
            path = Path(line.split(maxsplit=5)[-1])
            if path.parent == SHARED_MEMORY:
                yield path


def _run_of(process: Process) -> str | None:
    try:
        return process.environ().get(RUN_VARIABLE) if process.uids().real == os.getuid() else None
    except (psutil.Error, OSError):
        return None


def _rank(command_line: str) -> int:
    """Read the tensor-parallel rank from a title such as `VLLM::Worker_TP1`; alone it has none."""
    _, _, after = command_line.partition("_TP")
    digits = after[: len(after) - len(after.lstrip("0123456789"))]
    return int(digits) if digits else 0
