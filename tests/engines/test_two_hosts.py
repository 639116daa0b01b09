"""Real engines on hosts of their own, each with its agent; a third host routes, and sees both."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import msgspec
import pytest
from lab.keeper import GRACE
from lab.launch import Launch, command, environment
from lab.legs import Peer
from lab.pair import Wish, launches
from lab.run import Run, fresh

from tests.integration.hosts import ROOT, Host, bridged, need_namespaces
from tests.integration.receiving import eventually
from tests.integration.watcher import Watcher

SECOND = 1_000_000_000
AHEAD = {"P": 7_000, "D": 90_000}
"""Seconds that each host's clock is ahead of ours."""

START = 180
"""Seconds for both engines to be ready."""

HEALTH = """
import sys, urllib.request
for url in sys.argv[1:]:
    urllib.request.urlopen(url + "/health", timeout=5)
"""


class Fleet:
    """P, D, and the host in the middle."""

    def __init__(self, run: Run, folder: Path, stack: ExitStack) -> None:
        self._middle = Host("middle", folder, stack, 0)
        self.hosts = {name: Host(name, folder, stack, ahead) for name, ahead in AHEAD.items()}
        self._at = bridged(self._middle, *self.hosts.values())
        self.watcher = Watcher(self._middle)
        wanted = launches(run, Wish())
        for launch in wanted:
            self._start(run, launch, stack)
        peers = [self._peer(launch) for launch in wanted]
        self._await(*(peer.url for peer in peers))
        self._router = self._middle.runs(
            *("tests/engines/routing.py", str(run.directory / "router.jsonl")),
            msgspec.json.encode(peers).decode(),
            PYTHONPATH=f"{ROOT}:{ROOT}/examples",
        )
        assert self._answer() == "ready"

    def ask(self, name: str, tokens: int) -> str:
        """Send one request through the router; what it answers."""
        assert self._router.stdin is not None
        self._router.stdin.write(f"{name} {tokens}\n")
        self._router.stdin.flush()
        return self._answer()

    def _answer(self) -> str:
        assert self._router.stdout is not None
        return self._router.stdout.readline().strip()

    def _start(self, run: Run, launch: Launch, stack: ExitStack) -> None:
        host = self.hosts[launch.engine_id]
        here = msgspec.structs.replace(
            launch,
            boxes=host.folder / "boxes",
            flags=("--host", "0.0.0.0"),
            env={
                "VLLM_HOST_IP": self._at[host.name],
                "VLLM_NIXL_SIDE_CHANNEL_HOST": self._at[host.name],
                "UCX_TLS": "tcp,self",
                "UCX_NET_DEVICES": "eth0",
                "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://{self._at['middle']}:4317",
            },
        )
        variables = environment(here, os.environ, run.directory, run.cache)
        words = command(here, Path(sys.executable).with_name("vllm"), run.model)
        log = stack.enter_context((run.logs / f"{host.name}.log").open("wb"))
        keeper = subprocess.Popen(
            host.command(sys.executable, "-m", "lab.keeper", *words),
            env={**variables, "PYTHONPATH": f"{ROOT}:{ROOT}/examples:{ROOT}/connector"},
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
        )
        stack.callback(_end, keeper)

    def _peer(self, launch: Launch) -> Peer:
        where = self._at[launch.engine_id]
        return Peer(
            engine_id=launch.engine_id,
            url=f"http://{where}:{launch.port}",
            side_host=where,
            side_port=launch.side_port,
            tp=launch.tp,
        )

    def _await(self, *urls: str) -> None:
        deadline = time.monotonic() + START
        while True:
            with suppress(subprocess.CalledProcessError):
                self._middle.said(sys.executable, "-c", HEALTH, *urls)
                return
            assert time.monotonic() < deadline, "the engines are not ready in time"
            time.sleep(1)


def states(watcher: Watcher) -> dict[str, str]:
    """The state of each engine that was heard from."""
    return {engine["id"]: engine["state"] for engine in watcher.last["engines"]}


def _end(keeper: "subprocess.Popen[bytes]") -> None:
    assert keeper.stdin is not None
    keeper.stdin.close()
    try:
        keeper.wait(GRACE + 10)
    except subprocess.TimeoutExpired:
        keeper.kill()
        keeper.wait()


@pytest.fixture
def fleet(cores: None, tmp_path: Path) -> Iterator[Fleet]:
    need_namespaces()
    with fresh() as run, ExitStack() as stack:
        yield Fleet(run, tmp_path, stack)


def test_real_pushes_between_two_hosts_are_seen_whole_by_a_third(fleet: Fleet) -> None:
    watcher = fleet.watcher
    assert [fleet.ask(f"far-{tokens}", tokens) for tokens in (40, 700, 1500)] == ["200"] * 3
    eventually(lambda: watcher.finished() == 3, "all three")
    done = {one["id"]: one for one in watcher.last["done"]}
    assert len(done) == 3
    for one in done.values():
        assert one["link"] == {"producer": "P", "consumer": "D"}
        assert 0 < one["took"] < 120 * SECOND
        assert sum(one["phases"].values()) == one["took"]
    # P tells of all three by itself, so that what D's agent sends may come later.
    eventually(lambda: states(watcher) == {"P": "alive", "D": "alive"}, "both engines")
    losses = watcher.last["losses"]
    assert 0 < losses["clock_error"] < SECOND
    assert {losses[name] for name in ("overwritten", "unreadable", "unknown", "refused")} == {0}
