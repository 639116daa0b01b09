"""Stands between us and an engine: when we are gone, however we went, it ends the engine.

Its standard input is a pipe that only its starter holds. The pipe's end, a SIGTERM or the
engine's own end wake it. Whatever the engine starts, and whatever becomes orphaned below it,
stays its descendant, because it is their subreaper.
"""

import ctypes
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import psutil

from lab import processes, sharing

GRACE = 12.0
"""Seconds an engine gets to end by itself."""

CORES = "VLLM_CPU_OMP_THREADS_BIND"
"""Where the engine is told the core of each rank."""

LOOKS = 10
"""Tenths of a second between two looks at where threads run."""

_SET_PARENT_DEATH_SIGNAL = 1
_SET_CHILD_SUBREAPER = 36


def main(command: list[str]) -> int:
    """Run a command until it ends or we are told to end it, and return its exit code."""
    signal.signal(signal.SIGTERM, _interrupt)
    for ignored in (signal.SIGINT, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    _prctl(_SET_CHILD_SUBREAPER, 1)
    engine = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, preexec_fn=_end_with_parent, process_group=0
    )
    mapped: set[Path] = set()
    try:
        _wait(engine, mapped)
    except InterruptedError:
        pass
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        engine.terminate()
        processes.end(lambda: _below(engine), GRACE)
        processes.remove(mapped)
    return engine.wait()


def _wait(engine: subprocess.Popen[bytes], mapped: set[Path]) -> None:
    """Wait until it is time to end; note the shared memory, which vLLM leaves when it ends."""
    looks = 0
    cores = [int(core) for core in os.environ.get(CORES, "").split("|") if core.isdecimal()]
    while engine.poll() is None:
        readable, _, _ = select.select([sys.stdin], [], [], 0.1)
        if readable and not os.read(sys.stdin.fileno(), 1):
            return
        looks += 1
        if looks % LOOKS == 0:
            below = _below(engine)
            mapped |= processes.shared_memory(below)
            sharing.settle(below, cores)


def _below(engine: subprocess.Popen[bytes]) -> list[psutil.Process]:
    engine.poll()
    return processes.tree(os.getpid())[1:]


def _interrupt(number: int, frame: object) -> None:
    raise InterruptedError(number)


def _end_with_parent() -> None:
    """Let the kernel end the engine should even the keeper be killed."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    _prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM)


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
