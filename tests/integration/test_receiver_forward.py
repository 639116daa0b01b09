"""What is received goes on to a backend unchanged, and nobody is lied to when it does not."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import grpc
import pytest

from kvtrace.sources.otlp.access import Access
from kvtrace.sources.otlp.address import Address
from kvtrace.sources.otlp.passing_on import target_of
from kvtrace.sources.otlp.receiver import Receiver
from tests.integration.receiving import (
    LOGS,
    METRICS,
    TRACES,
    eventually,
    export,
    receiving,
    records,
)
from tests.integration.test_receiver import posted
from tests.unit.sources.otlp.requests import foreign_logs, logs, record, spans

RAW: bytes = logs(record()).SerializeToString()


class Backend:
    """A server that keeps all it gets: bytes and headers."""

    def __init__(self) -> None:
        self.got: list[tuple[str, bytes]] = []
        self.headers: dict[str, Any] = {}
        self.answer: bytes | grpc.StatusCode = b""


@contextmanager
def backend() -> Iterator[tuple[Backend, str]]:
    """A plain gRPC server, and where it is."""
    made = Backend()

    class Everything(grpc.GenericRpcHandler):
        def service(self, details: grpc.HandlerCallDetails) -> Any:
            def take(raw: bytes, context: grpc.ServicerContext) -> bytes:
                made.got.append((details.method, raw))
                made.headers = dict(context.invocation_metadata())
                if isinstance(made.answer, grpc.StatusCode):
                    context.abort(made.answer, "not today")
                assert isinstance(made.answer, bytes)
                return made.answer

            return grpc.unary_unary_rpc_method_handler(take)

    server = grpc.server(ThreadPoolExecutor(4), handlers=(Everything(),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield made, f"http://127.0.0.1:{port}"
    finally:
        server.stop(0).wait()


@contextmanager
def forwarding(url: str, **setup: Any) -> Iterator[Receiver]:
    headers = (("x-own", "1"),)
    with receiving(target=target_of(url, setup.pop("protocol", None), headers), **setup) as made:
        yield made


def test_every_signal_goes_on_byte_for_byte_with_its_headers() -> None:
    sent = [
        (LOGS, RAW),
        (TRACES, spans(record(2), name="GET /").SerializeToString()),
        (METRICS, foreign_logs(2).SerializeToString()),
        (LOGS, foreign_logs(3).SerializeToString() + b"\xfa\x06\x03new"),
    ]
    with backend() as (behind, url), forwarding(url) as receiver:
        for path, raw in sent:
            export(receiver.grpc, raw, path, metadata=(("x-scope-orgid", "a"),))
        assert behind.got == sent
        assert (behind.headers["x-scope-orgid"], behind.headers["x-own"]) == ("a", "1")
        assert posted(receiver, RAW, x_scope_orgid="b") == (200, b"")
        assert behind.got[-1] == (LOGS, RAW)
        assert behind.headers["x-scope-orgid"] == "b"
        assert records(receiver) == [record(), record(2), record()]


def test_the_backends_own_answer_goes_back() -> None:
    with backend() as (behind, url), forwarding(url) as receiver:
        behind.answer = b"\x0a\x02\x08\x07"
        assert export(receiver.grpc, RAW) == behind.answer


def test_a_token_for_us_is_not_told_to_the_backend() -> None:
    bearer = (("authorization", "Bearer mine"),)
    with backend() as (behind, url), forwarding(url, access=Access(token="mine")) as receiver:
        export(receiver.grpc, RAW, metadata=bearer)
        assert "authorization" not in behind.headers
    with backend() as (behind, url), forwarding(url) as receiver:
        export(receiver.grpc, RAW, metadata=bearer)
        assert behind.headers["authorization"] == "Bearer mine"


def test_a_backend_that_is_down_is_not_lied_about_and_our_own_view_goes_on() -> None:
    with forwarding("http://127.0.0.1:1") as receiver:
        with pytest.raises(grpc.RpcError) as refused:
            export(receiver.grpc, RAW)
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
        trailers = {key for key, _ in refused.value.trailing_metadata()}
        assert "grpc-status-details-bin" in trailers
        assert posted(receiver, RAW)[0] == 503
        assert records(receiver) == [record(), record()]
        assert receiver.counts.forwarded == 0


def test_that_the_backend_is_down_is_told_and_counted() -> None:
    said: list[str] = []
    with forwarding("http://127.0.0.1:1", tell=said.append) as receiver:
        for _ in range(3):
            with pytest.raises(grpc.RpcError):
                export(receiver.grpc, RAW)
        assert receiver.health()["not_forwarded"] == 3
    (line,) = said
    assert "logs cannot be passed on to http://127.0.0.1:1" in line


@pytest.mark.parametrize(
    ("code", "status"),
    [(grpc.StatusCode.INVALID_ARGUMENT, 400), (grpc.StatusCode.PERMISSION_DENIED, 403)],
)
def test_what_the_backend_refuses_for_good_is_refused_for_good(
    code: grpc.StatusCode, status: int
) -> None:
    with backend() as (behind, url), forwarding(url) as receiver:
        behind.answer = code
        with pytest.raises(grpc.RpcError) as refused:
            export(receiver.grpc, RAW)
        assert refused.value.code() is code
        assert posted(receiver, RAW)[0] == status


def test_a_backend_that_comes_back_gets_what_is_sent_again() -> None:
    with backend() as (behind, url), forwarding(url) as receiver:
        behind.answer = grpc.StatusCode.UNAVAILABLE
        with pytest.raises(grpc.RpcError):
            export(receiver.grpc, RAW)
        behind.answer = b""
        assert export(receiver.grpc, RAW) == b""
        assert eventually(lambda: receiver.counts.forwarded) == 1


def test_over_http_to_another_receiver() -> None:
    with receiving(access=Access(token="theirs")) as behind:
        assert isinstance(behind.http, Address)
        headers = (("authorization", "Bearer theirs"),)
        target = target_of(f"http://{behind.http}", "http/protobuf", headers)
        with receiving(target=target) as receiver:
            for _ in range(3):
                assert export(receiver.grpc, RAW) == b""
            assert posted(receiver, RAW)[0] == 200
            assert records(behind) == records(receiver) == [record()] * 4
        wrong = target_of(f"http://{behind.http}", "http/protobuf", ())
        with receiving(target=wrong) as receiver:
            with pytest.raises(grpc.RpcError) as refused:
                export(receiver.grpc, RAW)
            assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED
