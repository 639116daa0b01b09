"""OpenTelemetry's exporters carry our messages: over real sockets, by both protocols."""

import gzip
import socket
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from kvtrace.destination import GRPC, HTTP, destinations
from kvtrace.signals.logs import Log, Resource
from kvtrace.sinks.otlp.answer import Answer, Fate
from kvtrace.sinks.otlp.messages import Messages
from kvtrace.sinks.otlp.sender import Sender, open_sender
from tests.integration.certificates import Certificates
from tests.integration.sink import LOGS, TRACES, Kept, Refusal, grpc_sink, http_sink, partly
from tests.unit.moments import record

OURS = Resource((("service.name", "vllm"),))
MESSAGE = Messages().logs([(OURS, Log(record(), 0))])
EMPTY = Messages().spans([])


@contextmanager
def senders(protocol: str, endpoint: str = "", **environ: str) -> Iterator[dict[str, Sender]]:
    """One for each signal that goes anywhere."""
    given = {"OTEL_EXPORTER_OTLP_PROTOCOL": protocol, **environ}
    made = {it.signal: open_sender(it) for it in destinations(given, endpoint)}
    try:
        yield made
    finally:
        for sender in made.values():
            sender.close()


@contextmanager
def listening(protocol: str, kept: Kept) -> Iterator[str]:
    with grpc_sink(kept) if protocol == GRPC else http_sink(kept) as port:
        yield f"http://127.0.0.1:{port}"


both = pytest.mark.parametrize("protocol", [GRPC, HTTP])


@both
def test_each_signal_arrives_at_its_own_door(protocol: str) -> None:
    kept = Kept()
    with listening(protocol, kept) as where, senders(protocol, where) as made:
        assert made["logs"].send(MESSAGE, 5).fate is Fate.TAKEN
        assert made["traces"].send(EMPTY, 5).fate is Fate.TAKEN
    assert kept.bodies == [(LOGS, MESSAGE), (TRACES, b"")]


@both
def test_what_was_not_taken_of_a_batch_is_known(protocol: str) -> None:
    kept = Kept()
    kept.always = {LOGS: partly(LOGS, 3, "too old"), TRACES: partly(TRACES, 2, "no")}
    with listening(protocol, kept) as where, senders(protocol, where) as made:
        assert made["logs"].send(MESSAGE, 5) == Answer(fate=Fate.TAKEN, rejected=3, why="too old")
        assert made["traces"].send(EMPTY, 5) == Answer(fate=Fate.TAKEN, rejected=2, why="no")


@both
def test_where_nobody_listens_it_is_to_come_later(protocol: str) -> None:
    with senders(protocol, "http://127.0.0.1:9") as made:
        assert made["logs"].send(MESSAGE, 5).fate is Fate.LATER


def test_who_listens_again_is_found_again_within_seconds() -> None:
    kept = Kept()
    with grpc_sink(kept) as port:
        pass
    with senders(GRPC, f"http://127.0.0.1:{port}") as made:
        for _ in range(4):
            assert made["logs"].send(MESSAGE, 5).fate is Fate.LATER
        with grpc_sink(kept, port):
            until = time.monotonic() + 5
            while made["logs"].send(MESSAGE, 5).fate is not Fate.TAKEN:
                assert time.monotonic() < until
                time.sleep(0.05)


def test_refusals_by_grpc_are_told_apart() -> None:
    kept = Kept()
    kept.answers[LOGS] = [
        Refusal(grpc.StatusCode.UNAUTHENTICATED, "who are you"),
        Refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, "too large"),
        Refusal(grpc.StatusCode.UNAVAILABLE, "soon"),
    ]
    with listening(GRPC, kept) as where, senders(GRPC, where) as made:
        fates = [made["logs"].send(MESSAGE, 5).fate for _ in range(4)]
    assert fates == [Fate.NEVER, Fate.SMALLER, Fate.LATER, Fate.TAKEN]


def test_refusals_by_http_are_told_apart() -> None:
    kept = Kept()
    kept.answers[LOGS] = [401, 413, 503, 301]
    with listening(HTTP, kept) as where, senders(HTTP, where) as made:
        fates = [made["logs"].send(MESSAGE, 5).fate for _ in range(5)]
    assert fates == [Fate.NEVER, Fate.SMALLER, Fate.LATER, Fate.NEVER, Fate.TAKEN]


@both
def test_one_that_never_answers_is_waited_for_no_longer_than_allowed(
    protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        where = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with senders(protocol, where) as made:
            assert made["logs"].send(MESSAGE, 0.3).fate is Fate.LATER
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
        with senders(protocol, where) as made:
            assert made["logs"].send(MESSAGE, 60).fate is Fate.LATER


@both
def test_headers_and_endpoints_are_those_of_the_environment(
    protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Kept()
    with listening(protocol, kept) as where:
        environ = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": where,
            "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20secret",
            "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "authorization=other",
        }
        for name, value in environ.items():
            monkeypatch.setenv(name, value)
        with senders(protocol, **environ) as made:
            made["logs"].send(MESSAGE, 5)
            made["traces"].send(EMPTY, 5)
    assert [it["authorization"] for it in kept.headers] == ["Bearer secret", "other"]


@pytest.mark.parametrize("packing", ["gzip", "deflate"])
def test_http_bodies_are_packed_as_asked_for(packing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Kept()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", packing)
    with listening(HTTP, kept) as where, senders(HTTP, where) as made:
        made["logs"].send(MESSAGE, 5)
    unpack: Any = gzip.decompress if packing == "gzip" else zlib.decompress
    assert kept.headers[0]["content-encoding"] == packing
    assert unpack(kept.bodies[0][1]) == MESSAGE


def test_grpc_messages_are_packed_as_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Kept()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
    with listening(GRPC, kept) as where, senders(GRPC, where) as made:
        assert made["logs"].send(MESSAGE, 5).fate is Fate.TAKEN
    assert kept.bodies == [(LOGS, MESSAGE)]


def test_both_ends_show_certificates_where_the_environment_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Certificates(tmp_path)
    kept = Kept()
    wanted = grpc.ssl_server_credentials(
        [(made.server_key.read_bytes(), made.server.read_bytes())],
        root_certificates=made.authority.read_bytes(),
        require_client_auth=True,
    )
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", str(made.authority))
    with grpc_sink(kept, credentials=wanted) as port:
        where = f"https://localhost:{port}"
        with senders(GRPC, where) as stranger:
            assert stranger["logs"].send(MESSAGE, 5).fate is Fate.LATER
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_CLIENT_KEY", str(made.client_key))
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", str(made.client))
        with senders(GRPC, where) as friend:
            assert friend["logs"].send(MESSAGE, 5).fate is Fate.TAKEN
