"""Receivers and clients for the tests of OTLP over real sockets."""

import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc

from kvtrace.moments import News, Record
from kvtrace.sources.otlp.address import Address
from kvtrace.sources.otlp.inbox import Inbox
from kvtrace.sources.otlp.receiver import Receiver, Setup

LOGS = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"
TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
METRICS = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"

ANY = Address("127.0.0.1", 0)
PATIENCE = 60.0


@contextmanager
def receiving(inbox: Inbox | None = None, **setup: Any) -> Iterator[Receiver]:
    """A receiver that listens on any port, with what else it is set up with."""
    others = {name: setup.pop(name) for name in ("tell",) if name in setup}
    receiver = Receiver(Setup(**{"grpc": ANY, "http": ANY, **setup}), inbox, **others)
    receiver.start()
    try:
        yield receiver
    finally:
        receiver.stop()


def export(to: object, raw: bytes, path: str = LOGS, **others: Any) -> bytes:
    """One plain call over gRPC."""
    with grpc.insecure_channel(str(to)) as channel:
        return bytes(channel.unary_unary(path)(raw, timeout=PATIENCE, **others))


def arrived(receiver: Receiver) -> list[News]:
    """All news that are there by now."""
    return [moment.news for moment in receiver.moments(0) if moment.news is not None]


def records(receiver: Receiver) -> list[Record]:
    return [news for news in arrived(receiver) if isinstance(news, Record)]


def eventually(true: Callable[[], Any], what: str = "it") -> Any:
    """Waits until something is so; gives what it is."""
    deadline = time.monotonic() + PATIENCE
    while not (found := true()):
        assert time.monotonic() < deadline, f"{what} did not come true"
        time.sleep(0.02)
    return found


def free_port() -> int:
    """A port that nobody has."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


class Papers:
    """A certificate authority, and the certificates of a server and of a client."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._openssl("req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority", "ca")
        for name in ("server", "client"):
            self._openssl(f"req -newkey rsa:2048 -nodes -subj /CN={name}", name, "csr")
            (folder / "san").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
            sign = f"openssl x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial"
            self._run(f"{sign} -days 2 -extfile san -out {name}.pem")

    def __call__(self, name: str) -> Path:
        return self.folder / name

    def _openssl(self, command: str, name: str, kind: str = "pem") -> None:
        self._run(f"openssl {command} -keyout {name}.key -out {name}.{kind}")

    def _run(self, command: str) -> None:
        subprocess.run(command.split(), cwd=self.folder, check=True, capture_output=True)
