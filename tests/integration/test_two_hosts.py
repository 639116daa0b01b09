"""P and D on hosts with clocks of their own, each with an agent; a third one sees both."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from benchmarks.record import D, P
from benchmarks.transfer_state import life
from kvtrace.events import Event, kind
from kvtrace.model import Role
from kvtrace.wire import pack
from tests.integration.hosts import Host, joined, need_namespaces
from tests.integration.receiving import eventually
from tests.integration.watcher import Watcher

SECOND = 1_000_000_000
AHEAD = {"p": 7_000, "d": 90_000}
"""Seconds that each host's clock is ahead of ours."""

OUTAGE = 60.0
"""Seconds for which one agent's link is down."""


class Engine:
    """An engine on a host, with its agent."""

    def __init__(self, host: Host, role: Role, name: str, middle: str) -> None:
        boxes = str(host.folder / "boxes")
        told = ("tests/integration/told_engine.py", boxes, role.value, name)
        self._run = host.runs(*told)
        assert self._answer() == "ready"
        self.agent = host.runs(
            *("-m", "kvtrace", "agent", "--stay", "--dir", boxes),
            *("--endpoint", f"http://{middle}:4317"),
        )

    def records(self, event: Event) -> None:
        assert self._run.stdin is not None
        self._run.stdin.write(pack(event).hex() + "\n")
        self._run.stdin.flush()
        assert self._answer() == "ok"

    def _answer(self) -> str:
        assert self._run.stdout is not None
        return self._run.stdout.readline().strip()


class Fleet:
    """Two hosts with an engine each, and the one that watches."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.p, self.d = (Host(name, folder, stack, ahead) for name, ahead in AHEAD.items())
        middle = Host("middle", folder, stack, 0)
        places = joined(middle, self.p, self.d)
        self.watcher = Watcher(middle)
        self._engines = {
            Role.PRODUCER: Engine(self.p, Role.PRODUCER, P, places["p"]),
            Role.CONSUMER: Engine(self.d, Role.CONSUMER, D, places["d"]),
        }
        self.recorded: Counter[Role] = Counter()

    def lives(self, number: int, first: str = "", last: str = "") -> None:
        """One transfer happens, from the first of these events to before the last."""
        events = life(number)
        names = [kind(event) for event in events]
        start = names.index(first) if first else 0
        end = names.index(last) if last else len(events)
        for event in events[start:end]:
            role = event.role or Role.CONSUMER
            self._engines[role].records(event)
            self.recorded[role] += 1
            time.sleep(0.003)


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    need_namespaces()
    with ExitStack() as stack:
        yield Fleet(tmp_path, stack)


@pytest.mark.timeout(300)
def test_two_hosts_are_seen_as_one_and_a_link_that_is_down_is_told(fleet: Fleet) -> None:
    watcher = fleet.watcher
    for number in range(3):
        fleet.lives(number)
    eventually(lambda: watcher.last.get("events") == fleet.recorded.total(), "all events")
    assert watcher.finished() == 3
    assert {engine["state"] for engine in watcher.last["engines"]} == {"alive"}
    for done in watcher.last["done"]:
        assert done["link"] == {"producer": P, "consumer": D}
        assert 0 < done["took"] < 5 * SECOND
        assert sum(done["phases"].values()) == done["took"]
    assert 0 < watcher.last["losses"]["clock_error"] < SECOND

    began = time.monotonic()
    fleet.lives(3, last="write.finished")
    waiting = eventually(lambda: _joined(watcher), "that both halves are one")
    assert waiting["joined"] == "match"
    time.sleep(3)
    age = _joined(watcher)["age"] / SECOND
    assert abs(age - (time.monotonic() - began)) < 2.5

    fleet.d.link("down")
    down = time.monotonic()
    eventually(lambda: watcher.engine(D)["state"] == "unheard", "that D is not heard from")
    assert watcher.engine(P)["state"] == "alive"
    unsent = fleet.recorded.copy()
    fleet.lives(3, first="write.finished")
    fleet.lives(4)
    heard = fleet.recorded[Role.PRODUCER] + unsent[Role.CONSUMER]
    eventually(lambda: watcher.last["events"] == heard, "that P goes on being heard")
    assert watcher.finished() < 5

    time.sleep(max(0.0, OUTAGE - (time.monotonic() - down)))
    assert watcher.engine(D)["state"] == "unheard"
    fleet.d.link("up")
    everything = fleet.recorded.total()
    eventually(lambda: watcher.last["events"] == everything, "that D's half catches up")
    assert watcher.finished() == 5
    eventually(lambda: watcher.engine(D)["state"] == "alive", "that D is heard from")
    losses = watcher.last["losses"]
    assert {losses[name] for name in ("overwritten", "unreadable", "unknown", "refused")} == {0}


def _joined(watcher: Watcher) -> dict[str, Any]:
    transfers = [t for t in watcher.last.get("transfers", ()) if all(t["requests"].values())]
    return transfers[0] if transfers else {}
