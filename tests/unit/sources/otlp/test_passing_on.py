"""Where requests go on to, and what a backend's refusal becomes."""

from typing import Any

import pytest

from kvtrace.errors import ReceiverError
from kvtrace.sources.otlp.limits import Limits
from kvtrace.sources.otlp.passing_on import GRPC, HTTP, GrpcBackend, backend_of, target_of
from kvtrace.sources.otlp.passing_on_http import HttpBackend
from kvtrace.sources.otlp.quiet import grpc


@pytest.mark.parametrize(
    ("endpoint", "url", "protocol"),
    [
        ("tempo:4317", "http://tempo:4317", GRPC),
        ("http://tempo:4317", "http://tempo:4317", GRPC),
        ("https://otlp.example:443", "https://otlp.example:443", GRPC),
        ("http://tempo:4318", "http://tempo:4318", HTTP),
        ("https://otlp.example/otlp", "https://otlp.example/otlp", HTTP),
    ],
)
def test_an_endpoint_says_how_it_is_spoken_to(endpoint: str, url: str, protocol: str) -> None:
    target = target_of(endpoint, None, ())
    assert (target.url, target.protocol) == (url, protocol)
    assert target_of(endpoint, HTTP, ()).protocol == HTTP


@pytest.mark.parametrize(
    "endpoint",
    ["", "ftp://x", "http://", "http://x:99999", "http://u@x", "[x", "http://x:0", "http://a b"],
)
def test_what_is_no_endpoint_is_told_with_an_example(endpoint: str) -> None:
    with pytest.raises(ReceiverError, match="write http://host:4317"):
        target_of(endpoint, None, ())


class Error:
    """What gRPC raises."""

    def __init__(self, code: Any, *trailers: tuple[str, bytes]) -> None:
        self.code = lambda: code
        self.details = lambda: "why"
        self.trailing_metadata = lambda: trailers


async def test_a_backends_status_is_passed_on_and_whether_to_send_again() -> None:
    target = target_of("127.0.0.1:1", None, ())
    backend = backend_of(target, Limits(), guarded=False)
    assert isinstance(backend, GrpcBackend)
    status = grpc.StatusCode
    told = ("grpc-status-details-bin", b"")
    for error, again, code in (
        (Error(status.UNAVAILABLE), True, 14),
        (Error(status.INVALID_ARGUMENT), False, 3),
        (Error(status.RESOURCE_EXHAUSTED), False, 8),
        (Error(status.RESOURCE_EXHAUSTED, told), True, 8),
    ):
        refusal = backend._not_taken(error)
        assert (refusal.again, refusal.grpc) == (again, code)
        assert str(refusal) == "127.0.0.1:1 did not take it: why"
    await backend.close()


async def test_each_protocol_has_its_backend_and_none_is_none() -> None:
    assert backend_of(None, Limits(), guarded=False) is None
    found = backend_of(target_of("https://x/otlp", None, ()), Limits(), guarded=False)
    assert isinstance(found, HttpBackend)
    await found.close()
