"""One recorded event on the hot thread, in ring and ledger.

Everything is compared with a call of an empty function that takes the same arguments.
"""

import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

from kvtrace_connector.black_box import BlackBox

from benchmarks.measure import Row, Timing, Work, promised, side_by_side
from kvtrace import events
from kvtrace.events import Event
from kvtrace.model import Role

P, D = "3f1c9a0e-8f2b-4f0e-9d3e-5e6f1a2b3c4d", "0b6d2c1e-77aa-4d8f-a1c3-9e8d7c6b5a40"
TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
HOST = "10.20.30.40"
MOST = 2000
"""Nanoseconds, median, that one event in ring and ledger may take."""


def scheduler_of_consumer(request: str) -> list[Event]:
    remote = request[:-8] + "0badcafe"
    return [
        events.RequestAdmitted(
            request=request, producer=P, remote_request=remote, host=HOST, tokens=4096, trace=TRACE
        ),
        events.LoadDecided(request=request, tokens=4096),
        events.RegistrationStaged(request=request, producer=P, blocks=256, host=HOST, port=5600),
        events.RegistrationShipped(request=request, waited=180_000),
        events.ReceiveFinished(request=request),
        events.RequestResumed(request=request),
    ]


def rank_of_consumer(request: str) -> list[Event]:
    return [
        events.RegistrationQueued(request=request, producer=P),
        events.RegistrationSent(request=request, producer=P, size=2048, took=90_000),
        events.NotificationNoticed(request=request, peer=P, peer_rank=0, gap=1_000_000),
        events.CompletionCounted(request=request, count=1, needed=1),
        events.ReceiveReported(request=request),
    ]


def rank_of_producer(request: str) -> list[Event]:
    remote = request[:-8] + "0badcafe"
    return [
        events.BlocksQueued(request=request, blocks=256),
        events.LeaseGranted(request=request, lease=30_000_000_000),
        events.RegistrationNoticed(remote_request=remote, consumer=D, host=HOST, port=5600),
        events.MatchMade(
            request=request, remote_request=remote, consumer=D, first="blocks", waited=900_000
        ),
        events.WriteStarted(
            request=request, remote_request=remote, consumer=D, outcome="submitted", took=120_000
        ),
        events.WritePosted(
            request=request,
            remote_request=remote,
            consumer=D,
            descriptors=8192,
            blocks=256,
            prepare=70_000,
            post=30_000,
        ),
        events.WriteFinished(request=request, size=1 << 28, descriptors=8192, polls=12),
        events.SendReported(request=request),
    ]


HALVES = {
    "D scheduler": scheduler_of_consumer,
    "D rank": rank_of_consumer,
    "P rank": rank_of_producer,
}


def endless(half: Callable[[str], list[Event]]) -> Iterator[list[Event]]:
    """One half's life after another, each of a request of its own."""
    name = "cmpl-8b0f6d1c-2f5e-4a8b-9c77-{:012d}-0-deadbeef"
    return cycle([half(name.format(number)) for number in range(64)])


def each(record: Callable[[Event, int], object], lives: Iterator[list[Event]]) -> Work:
    """A burst of ten lives."""

    def work() -> int:
        times = 0
        for _ in range(10):
            for event in next(lives):
                record(event, 0)
                times += 1
        return times

    return work


def run() -> list[Row]:
    """The cost of an event of each half, and of what is in it."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as directory:
        box = BlackBox.open(Path(directory) / "boxes")
        box.origin(D, Role.CONSUMER, 0)
        try:
            return _rows(side_by_side(_works(box)))
        finally:
            box.close("")


def _works(box: BlackBox) -> dict[str, Work]:
    kept: deque[Event] = deque(maxlen=10_000)
    sample: list[Event] = [events.StepSampled(window=1_000_000_000, steps=40, forwards=30)] * 6
    works = {
        "an empty call": each(lambda event, origin: None, endless(rank_of_consumer)),
        "append to a deque": each(
            lambda event, origin: kept.append(event), endless(rank_of_consumer)
        ),
        "ring alone (a sample)": each(box.record, cycle([sample])),
    }
    for name, half in HALVES.items():
        works[f"ring and ledger, {name}"] = each(box.record, endless(half))
    return works


def _rows(timings: dict[str, Timing]) -> list[Row]:
    empty = timings["an empty call"]
    return [
        {
            "one event": what,
            "median": f"{taken.median:.0f} ns",
            "best burst": f"{taken.best:.0f} ns",
            "over an empty call": f"{taken.best / empty.best:.0f}",
            "at most": promised(f"{MOST} ns", taken.median <= MOST) if "ledger" in what else "",
        }
        for what, taken in timings.items()
    ]
