"""What becomes of a request that is taken in, and of one that is not."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse

from kvtrace.sources.otlp.counts import Counts
from kvtrace.sources.otlp.decode import Signal
from kvtrace.sources.otlp.inbox import Inbox
from kvtrace.sources.otlp.intake import Intake
from kvtrace.sources.otlp.limits import Limits
from kvtrace.sources.otlp.refusal import NotTakenError, Reason, RefusedError
from kvtrace.sources.otlp.request import Request
from tests.unit.sources.otlp.requests import logs, record

Read = Callable[[], Awaitable[Request]]


class Down:
    """A backend that takes nothing, or what it is told to."""

    def __init__(self, answer: bytes | None = None) -> None:
        self.answer = answer
        self.given: list[Request] = []

    async def send(self, request: Request) -> bytes:
        self.given.append(request)
        if self.answer is None:
            raise NotTakenError("tempo:4317 did not take it: connection refused")
        return self.answer

    async def close(self) -> None:
        pass


def sent(raw: bytes, signal: Signal = Signal.LOGS) -> Read:
    async def read() -> Request:
        return Request(signal=signal, raw=raw)

    return read


async def refused(taken: Awaitable[bytes]) -> RefusedError:
    with pytest.raises(RefusedError) as caught:
        await taken
    return caught.value


async def test_what_is_acknowledged_is_in_the_inbox() -> None:
    inbox, counts = Inbox(), Counts()
    intake = Intake(inbox, counts, Limits())
    assert await intake.receive(sent(logs(record(1), record(2)).SerializeToString())) == b""
    assert inbox.take() == [record(1), record(2)]
    assert (counts.received.events, counts.requests[Signal.LOGS]) == (2, 1)


async def test_a_full_inbox_acknowledges_nothing_until_there_is_room() -> None:
    inbox = Inbox(most_news=1)
    intake = Intake(inbox, Counts(), Limits())
    raw = logs(record(1)).SerializeToString()
    await intake.receive(sent(raw))
    assert not intake.is_ready
    refusal = await refused(intake.receive(sent(raw)))
    assert (refusal.reason, refusal.again) == (Reason.FULL, True)
    inbox.take()
    assert intake.is_ready
    await intake.receive(sent(raw))


async def test_what_cannot_be_read_is_told_as_partial_success() -> None:
    request = logs(record(1), record(2))
    request.resource_logs[0].scope_logs[0].log_records[0].attributes[0].value.Clear()
    request.resource_logs[0].scope_logs[0].log_records[0].ClearField("attributes")
    intake = Intake(Inbox(), Counts(), Limits())
    answer = ExportLogsServiceResponse.FromString(
        await intake.receive(sent(request.SerializeToString()))
    )
    assert answer.partial_success.rejected_log_records == 1
    assert "could not be read" in answer.partial_success.error_message


async def test_a_backend_gets_the_very_bytes_and_its_answer_goes_back() -> None:
    backend = Down(b"\x0a\x00")
    intake = Intake(Inbox(), Counts(), Limits(), backend)
    raw = logs(record(1)).SerializeToString()
    assert await intake.receive(sent(raw)) == b"\x0a\x00"
    assert [request.raw for request in backend.given] == [raw]


async def test_what_the_backend_did_not_take_is_not_acknowledged_but_is_seen() -> None:
    inbox, counts = Inbox(), Counts()
    intake = Intake(inbox, counts, Limits(), Down())
    refusal = await refused(intake.receive(sent(logs(record(1)).SerializeToString())))
    assert (refusal.grpc, refusal.http, refusal.again) == (14, 503, True)
    assert inbox.take() == [record(1)]
    assert counts.forwarded == 0


async def test_a_message_that_does_not_come_in_time_is_given_up() -> None:
    intake = Intake(Inbox(), Counts(), Limits(message_time=0.01))

    async def never() -> Request:
        await asyncio.Event().wait()
        raise AssertionError

    assert (await refused(intake.receive(never))).reason is Reason.SLOW
    assert await intake.receive(sent(b"")) == b""


async def test_more_at_once_than_allowed_are_told_to_come_again() -> None:
    intake = Intake(Inbox(), Counts(), Limits(calls=1))
    going_on = asyncio.Event()

    async def waits() -> Request:
        await going_on.wait()
        return Request(signal=Signal.LOGS, raw=b"")

    first = asyncio.create_task(intake.receive(waits))
    await asyncio.sleep(0)
    assert (await refused(intake.receive(sent(b"")))).reason is Reason.BUSY
    going_on.set()
    assert await first == b""


async def test_only_so_many_messages_are_in_memory_at_once() -> None:
    intake = Intake(Inbox(), Counts(), Limits(reading=2))
    going_on, reading = asyncio.Event(), []

    async def waits() -> Request:
        reading.append(1)
        await going_on.wait()
        return Request(signal=Signal.LOGS, raw=b"")

    tasks = [asyncio.create_task(intake.receive(waits)) for _ in range(5)]
    for _ in range(5):
        await asyncio.sleep(0)
    assert len(reading) == 2
    going_on.set()
    assert await asyncio.gather(*tasks) == [b""] * 5


async def test_when_it_ends_it_takes_no_more() -> None:
    intake = Intake(Inbox(), Counts(), Limits())
    intake.stop()
    refusal = await refused(intake.receive(sent(b"")))
    assert (refusal.reason, refusal.again) == (Reason.STOPPING, True)
