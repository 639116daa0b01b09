"""A producer's worker killed with -9 at random moments: all it had said is there to read.

The last of these files by name, since the pair is left with transfers that never end.
"""

import os
import random
import signal
import struct
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
import pytest
from lab import ports
from lab.client import Ask, complete, random_prompt
from lab.engine import Engine, await_ready
from lab.launch import HOST
from lab.pair import Pair, peer
from lab.routed import RouterLog
from lab.router import Router

from kvtrace.black_box import COUNTERS_AT, SLOT, SUFFIX, Counter, Layout
from kvtrace.sources.run_directory import read_once
from tests.life import Seen

KILLS = 10
STARTED = 2
"""Producers that are started together, on a core each; KILLS of them in all."""

AT_ONCE = 3
"""Requests in flight."""


@pytest.fixture
def consumer_alone(pair: Pair) -> Iterator[Pair]:
    """The pair with its producer frozen, whose core other producers may have."""
    pair.producer.signal(signal.SIGSTOP)
    yield pair
    pair.producer.signal(signal.SIGCONT)


@pytest.mark.timeout(2400)
def test_all_that_a_killed_worker_said_is_readable_and_its_transfers_show_their_ages(
    consumer_alone: Pair,
) -> None:
    pair = consumer_alone
    chance = random.Random(20261201)
    with_half = 0
    for number in range(0, KILLS, STARTED):
        with other_producers(pair, [f"P-{number + more}" for more in range(STARTED)]) as engines:
            for engine in engines:
                with routed(pair, engine) as url:
                    asked = kill_mid_traffic(engine, url, chance.uniform(0.05, 2.5))
                    engine.begin_stop()
                engine.stop()
                with_half += check(pair, engine.launch.engine_id, asked)
    print(f"half-finished transfers shown after {KILLS} kills: {with_half}")
    assert with_half > 0


@contextmanager
def other_producers(pair: Pair, names: list[str]) -> Iterator[Iterator[Engine]]:
    """Producers beside the pair's own, started together; each runs from when its turn comes."""
    usable = sorted(os.sched_getaffinity(0))
    free = ports.free()
    engines = [
        Engine(
            msgspec.structs.replace(
                pair.producer.launch,
                engine_id=name,
                port=ports.choose(0, "port"),
                side_port=next(free),
                # To start takes a core for most of a minute, and while they do, all are free.
                cores=(usable[number % len(usable)],),
            ),
            pair.producer.run,
        )
        for number, name in enumerate(names)
    ]
    try:
        with frozen(pair.consumer):
            for engine in engines:
                engine.start()
            await_ready(engines)
        for engine in engines:
            engine.signal(signal.SIGSTOP)
        yield in_turn(engines)
    finally:
        for engine in engines:
            # Whoever stands still does not end.
            go_on(engine)
            engine.begin_stop()
        for engine in engines:
            engine.stop()


def in_turn(engines: list[Engine]) -> Iterator[Engine]:
    """Each of them, let go on."""
    for engine in engines:
        go_on(engine)
        yield engine


def go_on(engine: Engine) -> None:
    """Let those of its processes that are still there run."""
    for pid in engine.pids.values():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


@contextmanager
def frozen(engine: Engine) -> Iterator[None]:
    """The engine stands still, so that others have its core."""
    engine.signal(signal.SIGSTOP)
    try:
        yield
    finally:
        engine.signal(signal.SIGCONT)


@contextmanager
def routed(pair: Pair, producer: Engine) -> Iterator[str]:
    """The URL of a router from that producer to the pair's consumer."""
    router = Router(peer(producer), peer(pair.consumer), RouterLog())
    port = ports.choose(0, "port")
    pair.loop.run(router.start(port))
    try:
        yield f"http://{HOST}:{port}"
    finally:
        pair.loop.run(router.stop())


def kill_mid_traffic(engine: Engine, url: str, after: float) -> list[str]:
    """Keep requests in flight, kill the worker after so many seconds; the ids that were sent."""
    asked: list[str] = []
    dead = threading.Event()

    def ask_on() -> None:
        while not dead.is_set():
            asked.append(str(uuid.uuid4()))
            ask = Ask(prompt=random_prompt(300), max_tokens=2, request_id=asked[-1])
            try:
                complete(url, ask, timeout=8)
            except OSError:
                return

    with ThreadPoolExecutor(AT_ONCE) as clients:
        for _ in range(AT_ONCE):
            clients.submit(ask_on)
        time.sleep(after)
        os.kill(engine.pids["worker 0"], signal.SIGKILL)
        dead.set()
    return asked


def check(pair: Pair, name: str, asked: list[str]) -> int:
    """Nothing that the dead processes wrote is lost; how many transfers they left half done."""
    seen = Seen(read_once(pair.run_dir))
    for process in {record.process for record in seen.records if record.engine == name}:
        read = sorted(r.seq for r in seen.records if r.process == process)
        assert read == list(range(1, counted(pair.run_dir, process) + 1))
    assert seen.snapshot.losses.unreadable == 0
    engine = next(line for line in seen.snapshot.engines if line.id == name)
    assert engine.state == "died"
    left = [row for row in seen.snapshot.rows if any(request in row.id for request in asked)]
    for row in left:
        assert 0 < row.waited <= row.age
    return len(left)


def counted(directory: Path, process: str) -> int:
    """The events that a black box holds by its own count of slots, read without our reader."""
    box = (directory / f"{process}{SUFFIX}").read_bytes()
    layout = Layout()
    (slots,) = struct.unpack_from("<Q", box, COUNTERS_AT + 8 * Counter.SLOTS)
    begins = [
        layout.ring_at + n % layout.ring_slots * layout.ring_slot for n in range(1, slots + 1)
    ]
    return sum(SLOT.unpack_from(box, begin)[1] == 0 for begin in begins)
