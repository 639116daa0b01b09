"""Agents as real processes for tests, and engines that say what real ones say."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from kvtrace_connector.black_box import BlackBox

from kvtrace.black_box import Layout
from kvtrace.events import AnyEvent
from kvtrace.model import Role
from tests.unit.samples import (
    CONSUMER_FIRST,
    D_REQUEST,
    LANDING,
    P_REQUEST,
    PRODUCER_FIRST,
    WRITING,
)

ROOT = Path(__file__).parents[2]

TELLING = """
import sys, time
from pathlib import Path
from tests.integration.agents import Engines
engines = Engines(Path(sys.argv[1]))
engines.transfer("r1")
print("ready", flush=True)
time.sleep(600)
"""


class Engines:
    """A producer and a consumer, each with a black box."""

    def __init__(self, directory: Path, layout: Layout | None = None) -> None:
        self.p, self.d = BlackBox(directory, layout), BlackBox(directory, layout)
        self._p = self.p.origin("P0", Role.PRODUCER, 0)
        self._d = self.d.origin("D0", Role.CONSUMER, 0)
        self.events = 0

    def transfer(self, name: str) -> None:
        """One that goes well, from its first event to its last."""
        for events in (CONSUMER_FIRST, PRODUCER_FIRST, WRITING, LANDING):
            self.tell(name, *events)

    def tell(self, name: str, *events: AnyEvent) -> None:
        """Say these of the request of that name."""
        for event in events:
            self.events += 1
            mine = event.role is Role.PRODUCER
            box, origin = (self.p, self._p) if mine else (self.d, self._d)
            box.record(renamed(event, name), origin)

    def close(self) -> None:
        """Say goodbye."""
        for box in (self.p, self.d):
            box.close("the test is over")
            self.events += 1


def renamed(event: AnyEvent, name: str) -> AnyEvent:
    """The event as it were of another request."""
    changed = {}
    for field in ("request", "remote_request"):
        value = getattr(event, field, "")
        if value in (P_REQUEST, D_REQUEST):
            changed[field] = f"{name}{value.removeprefix('r1')}"
    return msgspec.structs.replace(event, **changed)


def environment(**others: str) -> dict[str, str]:
    """This process' own, with the packages found, and nobody else's endpoints."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("OTEL_")}
    path = os.pathsep.join(str(ROOT / part) for part in (".", "connector"))
    return {**kept, "PYTHONPATH": path, **others}


@contextmanager
def agent(directory: Path, *arguments: str, **environ: str) -> Iterator["subprocess.Popen[str]"]:
    """An agent as a process of its own, killed at the end if it is still there."""
    started = subprocess.Popen(
        [sys.executable, "-m", "kvtrace", "agent", "--dir", str(directory), *arguments],
        env=environment(**environ),
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        yield started
    finally:
        started.kill()
        started.wait()
        if started.stderr is not None:
            started.stderr.close()


@contextmanager
def engine_process(directory: Path) -> Iterator["subprocess.Popen[str]"]:
    """Engines in a process of their own, which has told of one transfer."""
    started = subprocess.Popen(
        [sys.executable, "-c", TELLING, str(directory)],
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        assert started.stdout is not None
        assert started.stdout.readline() == "ready\n"
        yield started
    finally:
        started.kill()
        started.wait()
        if started.stdout is not None:
            started.stdout.close()


def until(met: Callable[[], object], seconds: float = 20.0) -> None:
    """Wait until it is so."""
    end = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.02)
