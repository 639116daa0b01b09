"""Runs the benchmarks named, or all: `python -m benchmarks [name…]`; prints markdown tables.

Its exit code is 1 where a promised bound is broken, and 2 where there is no such benchmark.

Each has a process of its own, since what one leaves running would slow the next.
"""

import importlib
import os
import pkgutil
import platform
import subprocess
import sys

import benchmarks
from benchmarks.measure import broken, table

ALONE = "--alone"
NOT_BENCHMARKS = ("__main__", "measure", "saying", "scaled")


def found() -> list[str]:
    """The names of all benchmarks: modules here that have a `run`."""
    names = (module.name for module in pkgutil.iter_modules(benchmarks.__path__))
    return sorted(name for name in names if name not in NOT_BENCHMARKS)


def main(asked: list[str]) -> int:
    """Run them; 1 where a bound is broken, 2 where one is asked for that there is not."""
    unknown = sorted(set(asked) - set(found()))
    if unknown:
        print(f"there is no benchmark {unknown[0]}; there are: {', '.join(found())}")
        return 2
    load = os.getloadavg()[0]
    print(
        f"CPython {platform.python_version()}, {os.cpu_count()} CPUs, load {load:.1f}", flush=True
    )
    worst = 0
    for name in asked or found():
        done = subprocess.run([sys.executable, "-m", "benchmarks", ALONE, name], check=False)
        worst = max(worst, abs(done.returncode))
    return worst


def alone(name: str) -> int:
    """Run one of them here; 1 where a promised bound is broken."""
    module = importlib.import_module(f"benchmarks.{name}")
    title = (module.__doc__ or name).splitlines()[0].rstrip(".")
    rows = module.run()
    print(f"\n## {name}: {title}\n\n{table(rows)}", flush=True)
    return int(broken(rows))


if __name__ == "__main__":
    words = sys.argv[1:]
    sys.exit(alone(words[1]) if words[:1] == [ALONE] else main(words))
