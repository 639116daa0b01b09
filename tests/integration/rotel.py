"""Runs a real, independent OpenTelemetry Collector: the one that PyPI's package rotel holds."""

import importlib.util
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path


@cache
def why_not() -> str:
    """Why it cannot run here; empty where it can."""
    program = _program()
    if program is None:
        return "the package rotel is not installed"
    tried = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return "" if tried.returncode == 0 else f"rotel does not run here: {tried.stderr.strip()}"


def to_otlp(forward: int) -> tuple[str, ...]:
    """Has it pass everything on, by gRPC, to this port here."""
    where = ("--otlp-exporter-endpoint", f"http://127.0.0.1:{forward}")
    return ("--exporter", "otlp", *where, "--otlp-exporter-protocol", "grpc")


def to_clickhouse(port: int) -> tuple[str, ...]:
    """Has it write everything to the database at this port here."""
    where = ("--clickhouse-exporter-endpoint", f"http://127.0.0.1:{port}")
    return ("--exporter", "clickhouse", *where, "--clickhouse-exporter-compression", "none")


@contextmanager
def collector(exporter: tuple[str, ...], log: Path) -> Iterator[int]:
    """A collector that hands everything to that exporter; its own gRPC port."""
    program = _program()
    assert program is not None
    grpc, http = _free_port(), _free_port()
    command = [
        *(program, "start", "--otlp-grpc-endpoint", f"127.0.0.1:{grpc}"),
        *("--otlp-http-endpoint", f"127.0.0.1:{http}", *exporter),
    ]
    with log.open("w") as out, subprocess.Popen(command, stdout=out, stderr=out) as process:
        try:
            _wait_for(grpc, process, log)
            yield grpc
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def _program() -> Path | None:
    found = importlib.util.find_spec("rotel")
    if found is None or found.origin is None:
        return None
    return Path(found.origin).parent / "rotel-agent"


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text()
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"the collector does not listen: {log.read_text()}")
