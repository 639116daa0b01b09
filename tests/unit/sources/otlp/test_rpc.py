"""What gRPC is told, without a socket; the rest is in tests/integration."""

from typing import Any

from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status

from kvtrace.sources.otlp.access import Access
from kvtrace.sources.otlp.counts import Counts
from kvtrace.sources.otlp.decode import Signal
from kvtrace.sources.otlp.inbox import Inbox
from kvtrace.sources.otlp.intake import Intake
from kvtrace.sources.otlp.limits import Limits
from kvtrace.sources.otlp.quiet import grpc
from kvtrace.sources.otlp.refusal import Reason, RefusedError
from kvtrace.sources.otlp.rpc import METHODS, RpcServer, _options, _trailers
from tests.unit.sources.otlp.requests import logs, record


class Call:
    """One call as gRPC would give it."""

    def __init__(self, message: Any, *metadata: tuple[str, str]) -> None:
        self._message = message
        self._metadata = metadata
        self.read_from = False

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return self._metadata

    def peer(self) -> str:
        return "ipv4:10.0.0.1:5600"

    async def read(self) -> Any:
        self.read_from = True
        return self._message


def server(access: Access = Access(), inbox: Inbox | None = None) -> RpcServer:  # noqa: B008
    intake = Intake(inbox or Inbox(), Counts(), Limits())
    return RpcServer(intake, Counts(), access, Limits())


async def test_a_message_is_taken_in() -> None:
    inbox = Inbox()
    call = Call(logs(record()).SerializeToString())
    assert await server(inbox=inbox)._answer(Signal.LOGS, call) == b""
    assert inbox.take() == [record()]


async def test_who_has_no_token_is_refused_before_a_byte_is_read() -> None:
    call = Call(b"", ("authorization", "Bearer wrong"))
    try:
        await server(Access(token="right"))._answer(Signal.LOGS, call)
    except RefusedError as refusal:
        reason = refusal.reason
    assert (reason, call.read_from) == (Reason.UNAUTHENTICATED, False)


async def test_a_client_that_went_away_is_counted_as_cut_off() -> None:
    try:
        await server()._answer(Signal.LOGS, Call(grpc.aio.EOF))
    except RefusedError as refusal:
        reason = refusal.reason
    assert reason is Reason.CUT_OFF


def test_who_may_come_again_is_told_when() -> None:
    ((key, raw),) = _trailers(RefusedError(Reason.FULL, "full"))
    status = Status.FromString(raw)
    wait = RetryInfo()
    assert key == "grpc-status-details-bin"
    assert (status.code, status.message) == (8, "full")
    assert status.details[0].Unpack(wait)
    assert wait.retry_delay.seconds == 1
    assert _trailers(RefusedError(Reason.MALFORMED, "x")) == ()


def test_a_second_receiver_does_not_share_the_port_and_sizes_are_bounded() -> None:
    options = dict(_options(Limits()))
    assert options["grpc.so_reuseport"] == 0
    assert options["grpc.max_receive_message_length"] == 16 << 20
    assert options["grpc.max_allowed_incoming_connections"] == 1024


def test_every_signal_has_its_method() -> None:
    assert set(METHODS.values()) == set(Signal)
    assert all(path.endswith("Service/Export") for path in METHODS)
