"""From black box to records: events a second on one core."""

import tempfile
import time
from itertools import islice
from pathlib import Path

from kvtrace_connector.black_box import BlackBox

from benchmarks.measure import Row
from benchmarks.record import HALVES, endless
from kvtrace.model import Role
from kvtrace.sources.black_box import BlackBoxReader

ROUNDS = 7


def run() -> list[Row]:
    """How fast a whole ring is read at a reader's first look, and a poll that finds nothing."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as directory:
        box = BlackBox.open(Path(directory) / "boxes")
        origin = box.origin("d", Role.CONSUMER, 0)
        for half in HALVES.values():
            for life in islice(endless(half), 1200):
                for event in life:
                    box.record(event, origin)
        count, seconds = min((_first_look(box.path) for _ in range(ROUNDS)), key=lambda it: it[1])
        idle = _idle(box.path)
        box.close("")
    return [
        {"what": "first look", "figure": f"{count / seconds:,.0f} events/s", "at least": "100,000"},
        {"what": "a poll that finds nothing", "figure": f"{idle * 1e6:.0f} µs", "at least": ""},
    ]


def _first_look(path: Path) -> tuple[int, float]:
    reader = BlackBoxReader(path)
    began = time.process_time()
    count = len(reader.poll())
    took = time.process_time() - began
    reader.close()
    return count, took


def _idle(path: Path) -> float:
    reader = BlackBoxReader(path)
    reader.poll()
    took = []
    for _ in range(200):
        began = time.process_time()
        reader.poll()
        took.append(time.process_time() - began)
    reader.close()
    return min(took)
