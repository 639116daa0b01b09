"""The same spans over OTLP/HTTP to kvtrace and to receivers from PyPI: what each takes and keeps.

Each has a virtual environment of its own in the user's cache, made when it is first measured. All
get the same requests over the same connections; what is acknowledged is compared with what is kept.
"""

import http.client
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from benchmarks.agent import cpu
from benchmarks.measure import Row
from benchmarks.signals import RESOURCE, derive
from benchmarks.transfer_state import record_of, stream
from kvtrace.sinks.otlp.messages import Messages
from tests.integration.agents import ROOT, environment
from tests.integration.receiving import free_port
from tests.integration.sink import Kept, grpc_sink

TRANSFERS = 1_000
BATCH = 200
CONNECTIONS = 4
PATIENCE = 20.0
"""Seconds for one to start, and after the last request for it to keep what it acknowledged."""

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kvtrace-peers"

OTELTAP = """
import asyncio, os, sys
from oteltap import OtelTapHttpProtobufReceiver as Receiver
from oteltap import OtelTapHttpProtobufReceiverSettings as Settings
async def main():
    kept = 0
    async with Receiver(Settings(http_port=int(sys.argv[1]))) as receiver:
        async for _ in receiver.stream_traces():
            kept += 1
            os.pwrite(1, b"%d" % kept, 0)
asyncio.run(main())
"""


class Stream(msgspec.Struct, frozen=True):
    """What is sent to each."""

    requests: list[bytes]
    spans: int
    traces: int


class Peer(msgspec.Struct, frozen=True):
    """How to run one, and how to ask it what it keeps."""

    package: str
    command: Callable[[Path, int, int], list[str]]
    """Given its environment, its port, and that of whoever it passes things on to."""

    kept: Callable[[int, Path], int]
    """How much it keeps by now, given its port and the file of what it says."""

    unit: str


class Sink(Kept):
    """Counts what was passed on; the newest."""

    spans = 0

    def take(self, method: str, body: bytes, headers: dict[str, str]) -> bytes:
        """Take all."""
        parsed = ExportTraceServiceRequest.FromString(body)
        Sink.spans += sum(len(s.spans) for r in parsed.resource_spans for s in r.scope_spans)
        return b""


def run() -> list[Row]:
    """A row for each receiver."""
    sent = made()
    with grpc_sink(Sink()) as sink, tempfile.TemporaryDirectory() as folder:
        rows = [measured(name, sent, sink, Path(folder) / name) for name in PEERS]
    return [{**HEADINGS, **row} for row in rows]


def made() -> Stream:
    """The spans of many transfers."""
    spans = derive([record_of(one) for one in stream(TRANSFERS)])
    pack = Messages()
    requests = [
        pack.spans((RESOURCE, span) for span in spans[first : first + BATCH])
        for first in range(0, len(spans), BATCH)
    ]
    return Stream(requests, len(spans), len({span.trace_id for span in spans}))


def measured(name: str, sent: Stream, sink: int, said: Path) -> Row:
    """One line; why there is none, where it cannot be had or does not run."""
    peer = PEERS[name]
    port = free_port()
    try:
        command = peer.command(home(peer.package), port, sink)
    except (OSError, subprocess.CalledProcessError):
        return {"receiver": name, "acknowledged": "not measured: it cannot be installed here"}
    with (
        said.open("wb") as out,
        subprocess.Popen(command, stdout=out, stderr=out, cwd=ROOT, env=environment()) as process,
    ):
        try:
            return row(name, sent, post_all(port, sent, process), (port, said))
        except OSError as error:
            return {"receiver": name, "acknowledged": f"not measured: it does not run: {error}"}
        finally:
            process.kill()


def row(name: str, sent: Stream, spent: tuple[int, float, float], at: tuple[int, Path]) -> Row:
    """What it acknowledged in which time, and what it keeps once that grows no more."""
    peer, (taken, wall, used) = PEERS[name], spent
    kept, until = peer.kept(*at), time.monotonic() + PATIENCE
    while time.monotonic() < until:
        time.sleep(1)
        before, kept = kept, peer.kept(*at)
        if kept and kept == before:
            break
    whole = sent.traces if peer.unit == "traces" else sent.spans
    return {
        "receiver": name,
        "sent": f"{sent.spans:,} spans",
        "acknowledged": f"{taken:,}",
        "a second": f"{taken / wall:,.0f}",
        "CPU of each": f"{used / max(1, taken) * 1e6:.0f} µs",
        "kept": f"{kept:,} of {whole:,} {peer.unit}",
        "share": f"{kept / whole:.2f}",
    }


def post_all(
    port: int, sent: Stream, process: "subprocess.Popen[bytes]"
) -> tuple[int, float, float]:
    """How many spans were acknowledged, within how long, with how much CPU time of its."""
    reached(port, process)
    before, began = cpu(process.pid), time.perf_counter()
    each = [sent.requests[first::CONNECTIONS] for first in range(CONNECTIONS)]
    with ThreadPoolExecutor(CONNECTIONS) as senders:
        answered = list(senders.map(lambda requests: posted(port, requests), each))
    share = sum(answered) / len(sent.requests)
    wall = time.perf_counter() - began
    return round(share * sent.spans), wall, cpu(process.pid) - before


def posted(port: int, requests: list[bytes]) -> int:
    """How many of these were acknowledged, over one connection."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    taken = 0
    for raw in requests:
        line.request("POST", "/v1/traces", raw, {"content-type": "application/x-protobuf"})
        with line.getresponse() as answer:
            answer.read()
            taken += answer.status == 200
    line.close()
    return taken


def reached(port: int, process: "subprocess.Popen[bytes]") -> None:
    """Wait until it listens; raises OSError where it does not."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            if process.poll() is not None or time.monotonic() > until:
                raise
            time.sleep(0.1)


def home(package: str) -> Path:
    """The environment that holds the package, made where it is not there; ours for our own."""
    if not package:
        return Path(sys.prefix)
    at = CACHE / package
    if not (at / "complete").exists():
        venv.create(at, clear=True, with_pip=True)
        install = [at / "bin" / "pip", "install", "--quiet", package]
        subprocess.run(install, check=True, capture_output=True, timeout=300)
        (at / "complete").touch()
    return at


def asked(port: int, path: str) -> Any:
    """What it answers, as JSON."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=PATIENCE) as answer:
        return msgspec.json.decode(answer.read())


def of_kvtrace(at: Path, port: int, sink: int) -> list[str]:
    """kvtrace, without a screen."""
    there = ("--listen", f"127.0.0.1:{free_port()}", "--http", f"127.0.0.1:{port}")
    return [str(at / "bin" / "python"), "-m", "kvtrace", "collect", *there]


def of_rotel(at: Path, port: int, sink: int) -> list[str]:
    """rotel, which passes on what it takes."""
    (program,) = at.glob("lib/python*/site-packages/rotel/rotel-agent")
    there = ("--otlp-grpc-endpoint", f"127.0.0.1:{free_port()}")
    onward = ("--exporter", "otlp", "--otlp-exporter-endpoint", f"http://127.0.0.1:{sink}")
    web = ("--otlp-http-endpoint", f"127.0.0.1:{port}", "--otlp-exporter-protocol", "grpc")
    return [str(program), "start", *there, *web, *onward]


def of_oteltap(at: Path, port: int, sink: int) -> list[str]:
    """oteltap, with a reader of its stream that counts."""
    return [str(at / "bin" / "python"), "-c", OTELTAP, str(port)]


def of_sonar(at: Path, port: int, sink: int) -> list[str]:
    """sonar-tui's server, without its screen."""
    there = ("--host", "127.0.0.1", "--port", str(port), "--log-level", "error")
    return [str(at / "bin" / "uvicorn"), "sonar.ingestion.server:app", *there]


def written(port: int, said: Path) -> int:
    """The number that stands in the file."""
    return int(said.read_bytes().strip() or 0)


HEADINGS = dict.fromkeys(
    ("receiver", "sent", "acknowledged", "a second", "CPU of each", "kept", "share"), ""
)

PEERS = {
    "kvtrace": Peer(
        "", of_kvtrace, lambda port, _: int(asked(port, "/healthz")["received"]["records"]), "spans"
    ),
    "rotel": Peer("rotel", of_rotel, lambda port, _: Sink.spans, "spans"),
    "oteltap": Peer("oteltap", of_oteltap, written, "spans"),
    "sonar-tui": Peer("sonar-tui", of_sonar, lambda port, _: len(asked(port, "/traces")), "traces"),
}
