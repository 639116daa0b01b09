"""What tracing costs a transfer: CPU time of vLLM's own connector, traced against plain.

A producer and a consumer of the real classes push over NIXL in this process, once traced and once
plain, in turns. One thread calls all of the connector, schedulers, workers and writers, as often
as it takes at least, and its CPU time is what counts, without what it spends on waiting for NIXL;
NIXL's own threads are not. Transfers that are in flight at once share steps, as in an engine that
is at work; one that is alone pays for its steps by itself. NIXL's threads and whatever else runs
push our code out of the caches, vLLM's and kvtrace's alike; the quickest tenth of each kind, here
called undisturbed, shows what is left without that.

An engine has connectors of one kind, and the interpreter tunes vLLM's code to it. Here both kinds
are in one process, so each is measured several times in a row, and what comes first in each row
only tunes.
"""

import importlib.util
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.measure import between

ROWS = 10
"""How many times in a row each kind is measured, in turns."""

TIMES = {1: 20, 16: 4}
"""In each row, that many transfers at once, of each size."""

MEMORY = Path("/dev/shm")
"""Where black boxes are when nobody says otherwise."""

IDLE = 200
"""In each row, steps of each kind with nothing to do."""

MOST = {
    "128 tokens, 1 at once, each": 1000,
    "128 tokens, 16 at once, each": 300,
    "2048 tokens, 1 at once, each": 1000,
    "2048 tokens, 16 at once, each": 300,
    "a step with nothing to do, of both halves": 3,
    "a turn of the writer with nothing to do": 1.5,
}
"""Microseconds that tracing may add, undisturbed; docs/design.md says why these."""

BLOCKS = (4, 64)
"""Of 32 tokens, for each size that is measured."""


def run() -> list[dict[str, str]]:
    """Rows: what is done, its CPU time plain and traced, their ratio with its spread."""
    if importlib.util.find_spec("vllm") is None:
        return [{"work": "not measured: vLLM is not installed"}]
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as directory:
        os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
        os.environ["KVTRACE_DIR"] = directory
        plain, traced = pairs(Path(directory))
        try:
            return rows(plain, traced)
        finally:
            plain.shutdown()
            traced.shutdown()


def pairs(directory: Path) -> tuple[Any, Any]:
    """A plain and a traced pair, which know their peers."""
    # Only where vLLM is installed can these be imported.
    from kvtrace_connector.connector import NixlPushConnector as Traced
    from vllm.distributed.kv_transfer.kv_connector.v1.nixl.connector import NixlPushConnector

    from tests.connector.vllm_pair import Pair

    plain = Pair(NixlPushConnector, directory, ("P0", "D0"), by_hand=True)
    traced = Pair(Traced, directory, ("P1", "D1"), by_hand=True)
    for number in range(20):
        plain.push(number)
        traced.push(number)
    return plain, traced


def rows(plain: Any, traced: Any) -> list[dict[str, str]]:
    """The table."""
    table = []
    for blocks in BLOCKS:
        for together, times_in_row in TIMES.items():
            times = side_by_side(plain, traced, pushing(blocks, together), times_in_row)
            each = ([spent // together for spent in kind] for kind in times)
            table.append(row(f"{blocks * 32} tokens, {together} at once, each", *each))
    idle = side_by_side(plain, traced, lambda pair, _: pair.producer.step(), IDLE)
    turns = side_by_side(plain, traced, lambda pair, _: pair.producer.turn(), IDLE)
    table.append(row("a step with nothing to do, of both halves", *idle))
    return [*table, row("a turn of the writer with nothing to do", *turns)]


def pushing(blocks: int, together: int) -> Callable[[Any, int], object]:
    """The work of so many transfers of that size."""
    return lambda pair, number: pair.push_together(
        range(number * together, (number + 1) * together), blocks
    )


def side_by_side(
    plain: Any, traced: Any, work: Callable[[Any, int], object], times: int
) -> tuple[list[float], list[float]]:
    """Nanoseconds of CPU time of each piece of work, in rows by turns."""
    spent: tuple[list[float], list[float]] = ([], [])
    for turn in range(ROWS):
        for kind in random.sample((0, 1), 2):
            pair = (plain, traced)[kind]
            row = [_spent(pair, work, turn * times + number) for number in range(times)]
            spent[kind].extend(row[times // 4 :])
    return spent


def _spent(pair: Any, work: Callable[[Any, int], object], number: int) -> int:
    before = time.thread_time_ns() - pair.rested
    work(pair, number)
    return time.thread_time_ns() - pair.rested - before


def row(work: str, plain: list[float], traced: list[float]) -> dict[str, str]:
    """One line of the table."""
    least, most = between(plain, traced)
    base, ours = statistics.median(plain), statistics.median(traced)
    quick, slower = (statistics.quantiles(kind, n=10)[0] for kind in (plain, traced))
    return {
        "work": work,
        "plain": f"{base / 1000:.1f} µs",
        "traced": f"{ours / 1000:.1f} µs",
        "ratio": f"{ours / base:.3f}",
        "19 of 20 between": f"{least:.3f} and {most:.3f}",
        "undisturbed": f"{quick / 1000:.1f} → {slower / 1000:.1f} µs, {slower / quick:.3f}",
        "adds": f"{(slower - quick) / 1000:.1f} µs",
        "at most": f"{MOST[work]} µs" + ("" if slower - quick <= MOST[work] * 1000 else ": broken"),
    }
