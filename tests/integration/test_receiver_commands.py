"""`kvtrace collect` and `kvtrace live --listen` as real processes."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from kvtrace.report import NO_ENGINE
from kvtrace.sources.recording import open_recording
from tests.integration.receiving import eventually, export
from tests.unit.sources.otlp.requests import logs, record

ROOT = Path(__file__).parents[2]
ANY = ("--listen", "127.0.0.1:0", "--http", "127.0.0.1:0")
RAW: bytes = logs(*(record(seq) for seq in range(1, 101))).SerializeToString()


class Program:
    """A command that runs, and where it says that it listens."""

    def __init__(self, run: subprocess.Popen[bytes], out: Path, err: Path) -> None:
        self.run = run
        self._out = out
        self._err = err

    @property
    def out(self) -> str:
        return self._out.read_text()

    @property
    def err(self) -> str:
        return self._err.read_text()

    @property
    def places(self) -> list[str]:
        found = eventually(lambda: re.search(r"OTLP on (\S+)(?: and ([^\s,]+))?", self.err))
        return [place for place in found.groups() if place]

    def last(self) -> dict[str, Any]:
        """The last object that it printed."""
        line = self.out.rstrip("\n").rpartition("\n")[2]
        return json.loads(line) if line else {}

    def ends(self, number: int = signal.SIGTERM) -> int:
        self.run.send_signal(number)
        return self.run.wait(60)


@contextmanager
def program(folder: Path, *arguments: str, before: tuple[str, ...] = ()) -> Iterator[Program]:
    environ = {**os.environ, "KVTRACE_DIR": str(folder / "boxes"), "PYTHONPATH": str(ROOT)}
    out, err = folder / "out", folder / "err"
    with out.open("wb") as stdout, err.open("wb") as stderr:
        run = subprocess.Popen(
            [*before, sys.executable, "-m", "kvtrace", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            env=environ,
        )
        try:
            yield Program(run, out, err)
        finally:
            run.kill()
            run.wait()


def health(place: str, path: str = "/healthz") -> dict[str, Any]:
    with urllib.request.urlopen(f"http://{place}{path}", timeout=60) as answer:
        told: dict[str, Any] = json.load(answer)
    return told


def test_collect_counts_records_and_ends_well(tmp_path: Path) -> None:
    file = tmp_path / "fleet.kvtrace.gz"
    with program(tmp_path, "collect", *ANY, "--record", str(file), "--json") as running:
        rpc, web = running.places
        assert health(web)["status"] == "ok"
        assert health(web, "/readyz")["requests"] == {"traces": 0, "logs": 0, "metrics": 0}
        for _ in range(2):
            export(rpc, RAW)
        eventually(lambda: health(web).get("shown") == 100, "the count")
        assert health(web)["received"]["events"] == 200
        assert running.ends() == 0
        told = json.loads(running.out)
        assert (told["shown"], told["engines"]) == (100, 1)
    recording = open_recording(file)
    kept = [moment.news for moment in recording if moment.news is not None]
    recording.close()
    assert len(kept) == 200
    assert recording.damage == ""


def test_what_is_acknowledged_just_before_the_end_is_recorded(tmp_path: Path) -> None:
    file = tmp_path / "fleet.kvtrace"
    with program(tmp_path, "collect", *ANY, "--record", str(file)) as running:
        rpc, _ = running.places
        export(rpc, RAW)
        assert running.ends(signal.SIGINT) == 0
    assert file.read_text().count('"registration.sent"') == 100


def test_live_shows_what_is_received(tmp_path: Path) -> None:
    with program(tmp_path, "live", *ANY, "--json") as running:
        rpc, web = running.places
        export(rpc, RAW)
        eventually(lambda: running.last().get("events") == 100, "the count")
        assert [engine["id"] for engine in running.last()["engines"]] == ["decode-0"]
        assert health(web)["received"]["events"] == 100
        assert running.ends() == 0


def test_live_shows_once_what_the_first_agents_send(tmp_path: Path) -> None:
    with program(tmp_path, "live", *ANY, "--once", "--json") as running:
        rpc, _ = running.places
        export(rpc, RAW)
        assert running.run.wait(60) == 0
        assert running.last()["events"] == 100


def test_live_once_says_where_nothing_came(tmp_path: Path) -> None:
    with program(tmp_path, "live", *ANY, "--once", "--json", "--for", "0.2s") as running:
        assert running.run.wait(60) == 2
        assert running.out == ""
        assert "no agent sent anything within 200 ms" in running.err


def test_what_live_cannot_read_or_refuses_is_shown_as_a_loss(tmp_path: Path) -> None:
    request = logs(record(1), record(2))
    request.resource_logs[0].scope_logs[0].log_records[0].ClearField("attributes")
    with program(tmp_path, "live", *ANY, "--json") as running:
        rpc, _ = running.places
        export(rpc, request.SerializeToString())
        with pytest.raises(grpc.RpcError):
            export(rpc, b"\xff\xff")
        eventually(lambda: running.last().get("losses", {}).get("turned_away") == 1, "the loss")
        assert running.last()["losses"]["unreadable"] == 1


def test_live_counts_what_is_not_kvtraces_as_collect_does(tmp_path: Path) -> None:
    request = logs(record(1), record(2))
    foreign = request.resource_logs[0].scope_logs[0].log_records[0]
    foreign.ClearField("attributes")
    foreign.event_name = "gen_ai.choice"
    with program(tmp_path, "live", *ANY, "--json") as running:
        rpc, _ = running.places
        export(rpc, request.SerializeToString())
        eventually(lambda: running.last().get("losses", {}).get("foreign") == 1, "the count")
        assert running.last()["events"] == 1
        assert running.last()["losses"]["unreadable"] == 0


def test_a_port_that_is_taken_is_told_in_one_sentence(tmp_path: Path) -> None:
    with program(tmp_path, "collect", *ANY) as running:
        rpc, _ = running.places
        for command in ("collect", "live"):
            second = subprocess.run(
                [sys.executable, "-m", "kvtrace", command, "--listen", rpc, "--http", "off"],
                capture_output=True,
                text=True,
                check=False,
                timeout=60,
                cwd=ROOT,
            )
            assert second.returncode == 2
            port = rpc.partition(":")[2]
            assert f"port {port} of 127.0.0.1 is taken by another program" in second.stderr
            assert "name another port for gRPC with --listen" in second.stderr
            assert second.stderr.count("\n") == 1


def test_a_port_for_http_that_is_taken_is_told_with_how_to_do_without(tmp_path: Path) -> None:
    with program(tmp_path, "collect", *ANY) as running:
        _, web = running.places
        second = subprocess.run(
            [sys.executable, "-m", "kvtrace", "collect", "--listen", "127.0.0.1:0", "--http", web],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            cwd=ROOT,
        )
    assert second.returncode == 2
    assert f"port {web.partition(':')[2]} of 127.0.0.1 is taken" in second.stderr
    assert "--http off" in second.stderr


@pytest.fixture
def apart() -> tuple[str, ...]:
    """What runs a command in a network of its own, where the default ports are free."""
    alone = ("unshare", "--net", "sh", "-c", 'ip link set lo up; exec "$@"', "sh")
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        pytest.skip("unshare and ip are not installed, which make networks")
    if subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this user may not make networks")
    return alone


def test_live_with_nothing_to_read_listens_and_says_so(
    tmp_path: Path, apart: tuple[str, ...]
) -> None:
    with program(tmp_path, "live", "--plain", before=apart) as running:
        assert running.places == ["127.0.0.1:4317", "127.0.0.1:4318"]
        assert f"no black box in {tmp_path}/boxes yet" in running.err
        eventually(lambda: NO_ENGINE in running.out, "its line")
        assert running.ends() == 0


def test_live_goes_on_where_the_port_is_taken(tmp_path: Path, apart: tuple[str, ...]) -> None:
    held = "import os, socket, sys; s = socket.create_server(('127.0.0.1', 4317)); "
    held += "s.set_inheritable(True); os.execvp(sys.argv[1], sys.argv[1:])"
    wrapped = (*apart, sys.executable, "-c", held)
    with program(tmp_path, "live", "--plain", before=wrapped) as running:
        eventually(lambda: "port 4317 of 127.0.0.1 is taken" in running.err, "the warning")
        assert "waiting for black boxes" in running.err
        eventually(lambda: NO_ENGINE in running.out, "its line")
        assert running.ends() == 0
