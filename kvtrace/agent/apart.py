"""Sets a process that an engine launched apart from that engine: cores, signals, directory."""

import os
import signal
from contextlib import suppress

NICE = 10
"""Below the engine, whose work comes first."""


def settle(cores: int | None = None) -> None:
    """Have all cores that this host lets us have, hear all signals, and hold no directory."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    with suppress(OSError):
        # The engine may be bound to some; the kernel leaves out those we may not have.
        os.sched_setaffinity(0, range(cores or os.cpu_count() or 1))
    with suppress(OSError):
        os.nice(max(0, NICE - os.nice(0)))
    os.chdir("/")
