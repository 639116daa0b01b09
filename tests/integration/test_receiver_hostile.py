"""Slow, gone, greedy and hostile clients: bounded, and nobody else is disturbed."""

import gc
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import grpc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kvtrace.sources.otlp.decode import Signal
from kvtrace.sources.otlp.limits import Limits
from kvtrace.sources.otlp.receiver import Receiver
from kvtrace.sources.otlp.refusal import Reason
from tests.integration.receiving import LOGS, eventually, export, receiving, records
from tests.integration.test_receiver import posted
from tests.unit.sources.otlp.requests import logs, record

RAW: bytes = logs(record()).SerializeToString()
HURRIED = Limits(
    header_time=0.5, message_time=0.5, idle=0.5, answer_time=0.5, handshake=0.5, reading=4
)


def connected(receiver: Receiver, which: str) -> socket.socket:
    at = receiver.grpc if which == "grpc" else receiver.http
    assert at is not None
    return socket.create_connection((at.host, at.port), timeout=60)


def closed(line: socket.socket) -> bool:
    """Whether the other side closed it; what it said before is passed over."""
    with suppress(OSError):
        while line.recv(65536):
            pass
    return True


def memory() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.parametrize("which", ["grpc", "http"])
def test_some_hundred_idle_connections_keep_nobody_out(which: str) -> None:
    with receiving() as receiver, ExitStack() as stack:
        threads = threading.active_count()
        for _ in range(400):
            stack.enter_context(connected(receiver, which))
        assert export(receiver.grpc, RAW) == b""
        assert threading.active_count() <= threads + 2


def test_hundreds_of_grpc_clients_are_served_and_what_is_acknowledged_is_counted() -> None:
    own = [("grpc.use_local_subchannel_pool", 1)]
    with receiving() as receiver, ExitStack() as stack:
        for _ in range(200):
            stack.enter_context(connected(receiver, "grpc"))
        ways = [
            stack.enter_context(grpc.insecure_channel(str(receiver.grpc), own)) for _ in range(340)
        ]
        for ready in [grpc.channel_ready_future(way) for way in ways]:
            ready.result(60)
        threads = threading.active_count()
        calls = [
            way.unary_unary(LOGS).future(
                logs(record(1 + 3 * number + again)).SerializeToString(), timeout=60
            )
            for number, way in enumerate(ways[:40])
            for again in range(3)
        ]
        assert [call.result(60) for call in calls] == [b""] * 120
        assert sorted(one.seq for one in records(receiver)) == list(range(1, 121))
        assert receiver.counts.requests[Signal.LOGS] == 120
        assert not receiver.counts.refused
        ours = [one for one in threading.enumerate() if one.name.startswith("kvtrace")]
        assert len(ours) == 1
        # The clients' channels have a thread each that calls, and the receiver none for any.
        assert threading.active_count() <= threads + 40


def test_grpc_connections_beyond_the_limit_are_closed_where_none_is_idle() -> None:
    with receiving(limits=Limits(connections=8)) as receiver, ExitStack() as stack:
        go_on = threading.Event()
        stack.callback(go_on.set)

        def slowly() -> Iterator[bytes]:
            go_on.wait(60)
            yield RAW

        own = [("grpc.use_local_subchannel_pool", 1)]
        ways = [
            stack.enter_context(grpc.insecure_channel(str(receiver.grpc), own)) for _ in range(8)
        ]
        busy = [way.stream_unary(LOGS).future(slowly(), timeout=120) for way in ways]
        intake: Any = receiver._intake
        eventually(lambda: intake._under_way == 8, "that all are busy")
        extra = stack.enter_context(connected(receiver, "grpc"))
        assert closed(extra)
        go_on.set()
        assert [call.result(60) for call in busy] == [b""] * 8


def test_idle_grpc_connections_make_room_for_who_comes() -> None:
    with receiving(limits=Limits(connections=8)) as receiver, ExitStack() as stack:
        lines = [stack.enter_context(connected(receiver, "grpc")) for _ in range(8)]
        eventually(lambda: not failed(receiver), "that one more is let in")
        assert closed(lines[0])


def test_http_connections_beyond_the_limit_are_closed_where_none_is_idle() -> None:
    with receiving(limits=Limits(connections=8)) as receiver, ExitStack() as stack:
        lines = [stack.enter_context(connected(receiver, "http")) for _ in range(8)]
        for line in lines:
            line.sendall(b"POST /v1/lo")
        time.sleep(0.2)
        extra = stack.enter_context(connected(receiver, "http"))
        assert closed(extra)


def test_idle_http_connections_make_room_for_who_comes_the_longest_idle_first() -> None:
    with receiving(limits=Limits(connections=1024)) as receiver, ExitStack() as stack:
        lines = [stack.enter_context(connected(receiver, "http")) for _ in range(1024)]
        time.sleep(0.2)
        for _ in range(2):
            assert posted(receiver, RAW) == (200, b"")
        assert closed(lines[0])
        assert len(records(receiver)) == 2
        lines[-1].sendall(b"GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n")
        assert lines[-1].recv(12) == b"HTTP/1.1 200"


def failed(receiver: Receiver) -> bool:
    try:
        return export(receiver.grpc, RAW) != b""
    except grpc.RpcError:
        return True


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"POST /v1/lo",
        b"POST /v1/logs HTTP/1.1\r\nhost: h\r\nx: ",
        b"POST /v1/logs HTTP/1.1\r\nhost: h\r\ncontent-type: application/x-protobuf\r\n"
        b"content-length: 100\r\n\r\nhalf",
    ],
)
def test_a_slow_http_client_is_given_up(sent: bytes) -> None:
    with receiving(limits=HURRIED) as receiver, connected(receiver, "http") as line:
        line.sendall(sent)
        assert closed(line)
        assert export(receiver.grpc, RAW) == b""


def test_headers_that_drip_are_given_up() -> None:
    with receiving(limits=HURRIED) as receiver, connected(receiver, "http") as line:
        began = time.monotonic()
        with suppress(OSError):
            line.sendall(b"POST /v1/logs HTTP/1.1\r\n")
            while time.monotonic() - began < 30:
                line.sendall(b"x: y\r\n")
                time.sleep(0.05)
        assert time.monotonic() - began < 30


def test_a_slow_grpc_message_is_given_up_while_others_get_in() -> None:
    go_on = threading.Event()

    def slowly() -> Iterator[bytes]:
        go_on.wait(60)
        yield RAW

    with receiving(limits=HURRIED) as receiver, grpc.insecure_channel(str(receiver.grpc)) as line:
        calls = [line.stream_unary(LOGS).future(slowly()) for _ in range(3)]
        assert export(receiver.grpc, RAW) == b""
        codes = {call.code() for call in calls}
        go_on.set()
        assert codes == {grpc.StatusCode.DEADLINE_EXCEEDED}
        assert receiver.counts.refused[Reason.SLOW] == 3


@pytest.mark.parametrize("which", ["grpc", "http"])
def test_a_client_that_is_gone_in_the_middle_of_a_message_harms_nothing(which: str) -> None:
    with receiving() as receiver:
        if which == "grpc":
            with grpc.insecure_channel(str(receiver.grpc)) as channel:
                call = channel.unary_unary(LOGS).future(RAW + b"\0" * (8 << 20))
                call.cancel()
        else:
            with connected(receiver, "http") as line:
                line.sendall(
                    b"POST /v1/logs HTTP/1.1\r\nhost: h\r\n"
                    b"content-type: application/x-protobuf\r\ncontent-length: 900\r\n\r\nhalf"
                )
            eventually(lambda: receiver.counts.refused[Reason.CUT_OFF], "the loss")
        assert export(receiver.grpc, RAW) == b""
        assert len(records(receiver)) == 1


def nested(depth: int) -> bytes:
    """A log record whose body is a list in a list in a list, without an end."""
    inner = b"\x08\x01"
    for _ in range(depth):
        inner = _field(0x2A, _field(0x0A, inner))
    log = _field(0x2A, inner) + _field(0x62, b"kvtrace.registration.sent") + _field(0x32, inner)
    return _field(0x0A, _field(0x12, _field(0x12, log)))


def _field(tag: int, inside: bytes) -> bytes:
    size, length = len(inside), b""
    while size > 0x7F:
        length += bytes([size & 0x7F | 0x80])
        size >>= 7
    return bytes([tag]) + length + bytes([size]) + inside


@pytest.mark.parametrize(
    ("raw", "taken"),
    [
        (nested(5000), True),
        (_field(0x0A, _field(0x12, b"\x12\x00" * (4 << 20))), False),
        (b"\x0a\x00" * (4 << 20), False),
        (_field(0x0A, b"\x12\x00" * (4 << 20)), False),
        (_field(0x0A, _field(0x12, _field(0x12, b"\x32\x00" * (4 << 20)))), True),
        (_field(0x0A, _field(0x12, _field(0x12, b"\x32\x00" * 40) * 190_000)), True),
    ],
    ids=["nested", "records", "resources", "scopes", "attributes", "records full of attributes"],
)
def test_hostile_messages_take_little_memory_and_time(raw: bytes, taken: bool) -> None:
    with receiving() as receiver:
        gc.collect()
        before, began = memory(), time.monotonic()
        status: Any = None
        try:
            export(receiver.grpc, raw)
        except grpc.RpcError as error:
            status = error.code()
        assert status is (None if taken else grpc.StatusCode.RESOURCE_EXHAUSTED)
        assert time.monotonic() - began < 30
        assert memory() - before < 600 << 20
        assert export(receiver.grpc, RAW) == b""


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.binary(max_size=300))
def test_any_bytes_over_http_are_answered_or_refused(sent: bytes) -> None:
    receiver = _shared()
    with connected(receiver, "http") as line:
        with suppress(OSError):
            line.sendall(sent)
            line.shutdown(socket.SHUT_WR)
        assert closed(line)
    assert export(receiver.grpc, RAW) == b""


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.binary(max_size=300))
def test_any_message_over_grpc_is_answered_or_refused(sent: bytes) -> None:
    receiver = _shared()
    with suppress(grpc.RpcError):
        export(receiver.grpc, sent)
    assert export(receiver.grpc, RAW) == b""
    list(receiver.moments(0))


_kept: list[tuple[ExitStack, Receiver]] = []


def _shared() -> Receiver:
    """One receiver for all examples."""
    if not _kept:
        stack = ExitStack()
        _kept.append((stack, stack.enter_context(receiving())))
    return _kept[0][1]


@pytest.fixture(scope="module", autouse=True)
def ends() -> Iterator[None]:
    yield
    for stack, _ in _kept:
        stack.close()
