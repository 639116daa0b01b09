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
from contextlib import contextmanager
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
    for number in range(KILLS):
        with another_producer(pair, f"P-{number}") as (engine, url):
            asked = kill_mid_traffic(engine, url, chance.uniform(0.05, 2.5))
        with_half += check(pair, engine.launch.engine_id, asked)
    print(f"half-finished transfers shown after {KILLS} kills: {with_half}")
    assert with_half > 0


@contextmanager
def another_producer(pair: Pair, name: str) -> Iterator[tuple[Engine, str]]:
    """A producer beside the pair's own, and the URL of a router from it to the pair's consumer."""
    launch = msgspec.structs.replace(
        pair.producer.launch,
        engine_id=name,
        port=ports.choose(0, "port"),
        side_port=next(ports.free()),
    )
    engine = Engine(launch, pair.producer.run)
    router = Router(peer(engine), peer(pair.consumer), RouterLog())
    port = ports.choose(0, "port")
    engine.start()
    try:
        await_ready([engine])
        pair.loop.run(router.start(port))
        yield engine, f"http://{HOST}:{port}"
    finally:
        engine.begin_stop()
        pair.loop.run(router.stop())
        engine.stop()


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
