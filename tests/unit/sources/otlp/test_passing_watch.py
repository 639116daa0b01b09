"""What is said of a backend that fails and comes back."""

import asyncio

from kvtrace.sources.otlp.decode import Signal
from kvtrace.sources.otlp.passing_watch import WatchedBackend
from kvtrace.sources.otlp.refusal import NotTakenError
from kvtrace.sources.otlp.request import Request


class Backend:
    """Takes requests while it is well."""

    def __init__(self) -> None:
        self.well = True
        self.closed = False

    async def send(self, request: Request) -> bytes:
        if not self.well:
            raise NotTakenError("h:1 did not take it: it is down")
        return b"taken"

    async def close(self) -> None:
        self.closed = True


class Desk:
    """One that is watched, with a clock."""

    def __init__(self) -> None:
        self.backend, self.time = Backend(), 0.0
        self.said: list[str] = []
        self.watched = WatchedBackend(self.backend, "http://h:1", self.said.append, self.now)

    def now(self) -> float:
        return self.time

    def send(self, *, well: bool, after: float = 0.0, signal: Signal = Signal.LOGS) -> bytes:
        self.time += after
        self.backend.well = well
        try:
            return asyncio.run(self.watched.send(Request(signal=signal, raw=b"")))
        except NotTakenError:
            return b"refused"


def test_while_all_is_well_nothing_is_said() -> None:
    desk = Desk()
    assert [desk.send(well=True, after=20) for _ in range(3)] == [b"taken"] * 3
    assert desk.said == []


def test_it_is_said_once_when_it_fails_and_once_when_it_works_again() -> None:
    desk = Desk()
    assert [desk.send(well=False, after=20) for _ in range(5)] == [b"refused"] * 5
    assert [desk.send(well=True, after=20) for _ in range(5)] == [b"taken"] * 5
    assert desk.said == [
        "logs cannot be passed on to http://h:1: h:1 did not take it: it is down; "
        "their senders keep them",
        "logs are passed on to http://h:1 again; it did not take 5 requests",
    ]


def test_one_that_comes_and_goes_is_said_seldom_and_each_signal_by_itself() -> None:
    desk = Desk()
    for number in range(100):
        desk.send(well=bool(number % 2), after=0.05)
    assert len(desk.said) == 1
    desk.send(well=False, signal=Signal.METRICS)
    assert desk.said[-1].startswith("metrics")


def test_it_is_closed_with_its_watch() -> None:
    desk = Desk()
    asyncio.run(desk.watched.close())
    assert desk.backend.closed
