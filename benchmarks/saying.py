"""Says events at a pace: `python -m benchmarks.saying DIRECTORY PACE SECONDS`.

A process of its own, as engines are: in the process of the endpoint it would wait for Python's lock
while a request is taken in, and say less than it should.
"""

import sys
import time
from pathlib import Path

from tests.integration.agents import Engines


def say(boxes: Path, pace: int, seconds: float) -> None:
    """Whole transfers at that many events a second; prints how many events that were, and seconds.

    Begins when the standard input says so, and keeps the boxes open until that ends.
    """
    engines = Engines(boxes)
    print("ready", flush=True)
    sys.stdin.readline()
    began, number = time.monotonic(), 0
    while (passed := time.monotonic() - began) < seconds:
        if engines.events < pace * passed:
            number += 1
            engines.transfer(f"r{number}")
        else:
            time.sleep(0.002)
    print(engines.events, passed, flush=True)
    sys.stdin.read()
    engines.close()


if __name__ == "__main__":
    say(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
