"""Set apart from the engine that launched it: in a process of its own, since it changes it."""

import os
import subprocess
import sys

SETTLED = """
import os, signal
from kvtrace.agent.apart import settle
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
allowed = os.sched_getaffinity(0)
os.sched_setaffinity(0, [min(allowed)])
settle()
blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
print(os.sched_getaffinity(0) == allowed, os.nice(0) >= 10, os.getcwd(), set(blocked))
"""


def test_it_has_all_cores_hears_signals_and_holds_no_directory() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SETTLED],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
    )
    assert done.stdout == "True True / set()\n"
