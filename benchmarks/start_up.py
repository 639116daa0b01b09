"""What starting costs: the command's help, and the imports that run inside an engine."""

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median

ROOT = Path(__file__).parents[1]
ROUNDS = 5
FOREIGN = ("textual", "rich", "grpc", "google", "opentelemetry", "vllm", "torch", "click")
"""What must not come along unasked; click alone is the command line's own."""

EMPTY = "pass"
STARTS = {
    "kvtrace --help": "from kvtrace.cli import run; run(['--help'])",
    "kvtrace live --help": "from kvtrace.cli import run; run(['live', '--help'])",
    "import kvtrace.events": "import kvtrace.events",
    "import kvtrace_connector": "import kvtrace_connector",
    "import kvtrace_connector.black_box": "import kvtrace_connector.black_box",
    "import kvtrace_connector.plugin": "import kvtrace_connector.plugin",
}


def run() -> list[dict[str, str]]:
    """Rows: what starts, CPU time beyond Python's own, over Python's own, and what it imports."""
    rows = []
    for name, (spent, empty) in measured(STARTS).items():
        came = imported(STARTS[name])
        rows.append(
            {
                "start": name,
                "CPU beyond Python's": f"{(spent - empty) * 1e3:.1f} ms",
                "over Python's own": f"{spent / empty:.2f}",
                "modules": str(len(came)),
                "foreign": ", ".join(foreign(came)) or "none",
            }
        )
    return rows


def measured(starts: dict[str, str]) -> dict[str, tuple[float, float]]:
    """Median seconds of CPU of each start and of an empty one, taken in turns."""
    spent: dict[str, list[float]] = {name: [] for name in starts}
    empty: list[float] = []
    for _ in range(ROUNDS):
        empty.append(cpu(EMPTY))
        for name, code in starts.items():
            spent[name].append(cpu(code))
    return {name: (median(times), median(empty)) for name, times in spent.items()}


def cpu(code: str) -> float:
    """Seconds of CPU that a fresh interpreter spends on this."""
    before = getrusage(RUSAGE_CHILDREN)
    python(code)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def imported(code: str) -> list[str]:
    """The modules that a fresh interpreter holds after this, beyond those of an empty one."""
    ask = "\nimport sys; print(*sorted(sys.modules), file=sys.stderr)"
    empty = python(EMPTY + ask).split()
    return sorted(set(python(code + ask).split()) - set(empty))


def foreign(modules: Iterable[str]) -> list[str]:
    """Those packages among the modules that should be seen here."""
    return sorted({name.split(".")[0] for name in modules} & set(FOREIGN))


def python(code: str) -> str:
    """What a fresh interpreter says on stderr."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "connector")])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": path, "KVTRACE": "0"},
    )
    return done.stderr


if __name__ == "__main__":
    for row in run():
        print(" | ".join(row.values()))
