"""What an agent beside it costs the connector: its CPU time with an agent at work, and without.

The traced pair of connector_cost pushes over NIXL; an agent in a process of its own follows its
black boxes and sends to an endpoint in a third. In turns the agent is frozen, so that both kinds
of turns are of one run; with two cores, the agent's share of them is what it takes from the engine
by the clock. In a third kind of turn the agent is frozen too, and a process that knows nothing of
black boxes burns as much of a core, and another as much as the endpoint takes: what that costs is
the price of sharing cores and caches.
"""

import importlib.util
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.agent import MEMORY, cpu, ended, started
from benchmarks.measure import Row, between, promised

ROWS = 40
"""How many times each kind is measured, in turns."""

TOGETHER, TIMES, BLOCKS = 16, 6, 4
"""Transfers at once, so many times in a row, of 32 tokens each block."""

BURNER = """
import sys, time
share, beat = float(sys.argv[1]), 0.05
while True:
    until = time.monotonic() + beat
    end = time.process_time() + beat * share
    while time.process_time() < end:
        bytes(20_000).translate(None)
    time.sleep(max(0.0, until - time.monotonic()))
"""
"""Works for that share of a core, through memory as Python's objects do; on any core."""

FROZEN, AT_WORK, BURNING = range(3)

MOST = 1.05
"""Of its CPU time without an agent, as far as the spread lets tell."""

SINK = """
import sys, time
from tests.integration.sink import grpc_sink
from benchmarks.agent import Counted
with grpc_sink(Counted()) as port:
    print(port, flush=True)
    sys.stdin.read()
"""


def run() -> list[Row]:
    """One row: CPU time of a transfer with the agent frozen, and with it at work."""
    if importlib.util.find_spec("vllm") is None:
        return [{"work": "not measured: vLLM is not installed"}]
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as directory:
        os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
        os.environ["KVTRACE_DIR"] = directory
        # Only where vLLM is installed can these be imported.
        from kvtrace_connector.connector import NixlPushConnector

        from tests.connector.vllm_pair import Pair

        pair = Pair(NixlPushConnector, Path(directory), ("P1", "D1"), by_hand=True)
        try:
            for number in range(20):
                pair.push(number)
            return [beside(pair, Path(directory))]
        finally:
            pair.shutdown()


def beside(pair: Any, boxes: Path) -> Row:
    """The row."""
    command = [sys.executable, "-c", SINK]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as sink:
        assert sink.stdout is not None
        where = f"http://127.0.0.1:{int(sink.stdout.readline())}"
        agent = started(boxes, where, "--stay")
        time.sleep(4)
        shares = shares_of([agent, sink], pair)
        burners = [subprocess.Popen([sys.executable, "-c", BURNER, str(one)]) for one in shares]
        spent, used = in_turns(agent, burners, lambda turn: row_of(pair, turn))
        for burner in burners:
            burner.kill()
            burner.wait()
        agent.send_signal(signal.SIGTERM)
        ended(agent)
        sink.kill()
    without, beside_it, control = (statistics.median(kind) for kind in spent)
    least, most = between(spent[FROZEN], spent[AT_WORK])
    return {
        "work": f"{BLOCKS * 32} tokens, {TOGETHER} at once, each",
        "agent frozen": f"{without / 1000:.1f} µs",
        "agent at work": f"{beside_it / 1000:.1f} µs",
        "ratio": f"{beside_it / without:.3f}",
        "19 of 20 between": f"{least:.3f} and {most:.3f}",
        "burners instead": f"{control / 1000:.1f} µs",
        "their ratio": f"{control / without:.3f}",
        "19 of 20 between them": "{:.3f} and {:.3f}".format(
            *between(spent[FROZEN], spent[BURNING])
        ),
        "the agent's share of a core": f"{100 * used:.1f} %",
        "the endpoint's": f"{100 * shares[1]:.1f} %",
        "at most": promised(f"{MOST}", least <= MOST),
    }


def shares_of(processes: "list[subprocess.Popen[bytes]]", pair: Any) -> list[float]:
    """Which share of a core each takes while the pair pushes."""
    before, began = [cpu(one.pid) for one in processes], time.monotonic()
    for turn in range(3 * ROWS, 3 * ROWS + 4):
        row_of(pair, turn)
    passed = time.monotonic() - began
    return [(cpu(one.pid) - was) / passed for one, was in zip(processes, before, strict=True)]


def in_turns(
    agent: "subprocess.Popen[bytes]",
    burners: "list[subprocess.Popen[bytes]]",
    work: Callable[[int], list[int]],
) -> tuple[tuple[list[float], list[float], list[float]], float]:
    """Medians of rows with the agent frozen, at work, and frozen beside burners; and its share of
    a core while it was at work."""
    spent: tuple[list[float], list[float], list[float]] = ([], [], [])
    used = passed = 0.0
    for turn in range(ROWS):
        for kind in random.sample((FROZEN, AT_WORK, BURNING), 3):
            agent.send_signal(_stops(kind != AT_WORK))
            for burner in burners:
                burner.send_signal(_stops(kind != BURNING))
            before, began = cpu(agent.pid), time.monotonic()
            spent[kind].append(statistics.median(work(3 * turn + kind)))
            if kind == AT_WORK:
                time.sleep(0.5)
                used += cpu(agent.pid) - before
                passed += time.monotonic() - began
    agent.send_signal(signal.SIGCONT)
    return spent, used / passed


def _stops(frozen: bool) -> signal.Signals:
    return signal.SIGSTOP if frozen else signal.SIGCONT


def row_of(pair: Any, turn: int) -> list[int]:
    """Nanoseconds of CPU time of each transfer, the first of the row left out."""
    found = []
    for number in range(turn * TIMES, (turn + 1) * TIMES):
        before = time.thread_time_ns() - pair.rested
        pair.push_together(range(number * TOGETHER, (number + 1) * TOGETHER), BLOCKS)
        found.append((time.thread_time_ns() - pair.rested - before) // TOGETHER)
    return found[1:]
