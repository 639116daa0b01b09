"""The demo does what it says, and nothing of it stays, however it ends."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest
from lab import processes
from lab.engine import Engine, await_ready
from lab.errors import EngineDiedError
from lab.launch import RUN_VARIABLE, Launch
from lab.ports import free
from lab.run import fresh, remove_leftovers

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.usefixtures("cores")


@contextmanager
def demo(*words: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "lab.demo", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT / "examples")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        with process:
            yield process
            process.kill()
    finally:
        process.kill()


def until(true: Callable[[], object], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if true():
            return True
        time.sleep(0.1)
    return False


def run_of(pid: int) -> Path:
    """Find where a demo keeps its things, once it has started an engine."""
    found: list[Path] = []

    def look() -> bool:
        for process in processes.tree(pid)[1:]:
            try:
                run = process.environ().get(RUN_VARIABLE)
            except psutil.Error:
                continue
            found.extend([Path(run)] if run else [])
        return bool(found)

    assert until(look, 60)
    return found[0]


def has_worker(run: Path) -> bool:
    titles = [" ".join(process.cmdline()) for process in processes.of_run(run)]
    return any("VLLM::Worker" in title for title in titles)


def is_gone(run: Path) -> bool:
    return not processes.of_run(run) and not run.exists()


def shared_memory() -> set[str]:
    return {path.name for path in processes.SHARED_MEMORY.iterdir() if not path.is_dir()}


def test_a_headless_demo_accounts_for_every_request_and_leaves_nothing(tmp_path: Path) -> None:
    before = shared_memory()
    recording = tmp_path / "demo.kvtrace"
    words = ("--headless", "--seconds", "20", "--json", "--record", str(recording))
    with demo(*words) as process:
        run = run_of(process.pid)
        said, complaint = process.communicate(timeout=500)
    assert process.returncode == 0, complaint
    result = json.loads(said)
    assert result["sent"] == result["answered"] > 0
    assert (result["finished"], result["failed"], result["waiting"]) == (result["sent"], 0, 0)
    assert any(line["count"] for line in result["phases"].values())
    assert result["losses"]["overwritten"] == result["losses"]["unreadable"] == 0
    assert recording.stat().st_size > 1000
    assert is_gone(run)
    assert shared_memory() <= before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_engines_start_ends_everything(number: signal.Signals) -> None:
    with demo("--headless") as process:
        run = run_of(process.pid)
        assert until(lambda: len(processes.of_run(run)) >= 4, 60)
        process.send_signal(number)
        _, complaint = process.communicate(timeout=40)
    assert process.returncode == 130
    assert "all of it has ended" in complaint
    assert is_gone(run)


def test_a_killed_demo_takes_its_engines_along_and_the_next_start_tidies_up() -> None:
    before = shared_memory()
    with demo("--headless") as process:
        run = run_of(process.pid)
        assert until(lambda: has_worker(run), 200)
        process.kill()
        assert until(lambda: not processes.of_run(run), 40)
    remove_leftovers(run.parent)
    assert is_gone(run)
    assert shared_memory() <= before


def test_a_killed_keeper_takes_its_engine_along() -> None:
    with demo("--headless") as process:
        run = run_of(process.pid)
        assert until(lambda: len(processes.of_run(run)) >= 4, 60)
        psutil.Process(process.pid).children()[0].kill()
        _, complaint = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "ended while" in complaint
    assert is_gone(run)


def test_a_taken_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with demo("--headless", "--consumer-port", str(port)) as process:
            _, complaint = process.communicate(timeout=60)
    assert process.returncode == 2
    (line,) = complaint.splitlines()
    assert f"Port {port} is taken" in line
    assert "--consumer-port" in line


def test_an_engine_that_cannot_start_says_why() -> None:
    ports = free()
    launch = Launch(
        engine_id="P",
        role="kv_producer",
        port=next(ports),
        side_port=next(ports),
        flags=("--no-such-option",),
    )
    with fresh() as run:
        engine = Engine(launch, run)
        engine.start()
        try:
            with pytest.raises(EngineDiedError, match="no-such-option") as raised:
                await_ready([engine])
        finally:
            engine.stop()
    assert "its log is" in str(raised.value)
