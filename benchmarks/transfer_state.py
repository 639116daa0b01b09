"""From a black box's bytes to transfer state: events a second on one core."""

import time
from collections.abc import Iterator
from itertools import chain

import msgspec

from benchmarks.measure import Row
from benchmarks.record import D, P, rank_of_consumer, rank_of_producer, scheduler_of_consumer
from kvtrace import events
from kvtrace.census import Census
from kvtrace.events import Event
from kvtrace.fleet import Fleet
from kvtrace.model import Role
from kvtrace.moments import Moment, Record
from kvtrace.wire import pack, unpack

CLOCK = "6f9e1c52-3b7d-4f6a-9d0e-2a1b3c4d5e6f"
TRANSFERS = 4000
AT_ONCE = 32
"""Transfers that overlap, so that the events of several alternate."""

IN_FLIGHT = 1000
ROUNDS = 5


class Packed(msgspec.Struct, frozen=True):
    """An event as a black box holds it: what its head says, and its payload."""

    process: str
    seq: int
    at: int
    role: Role
    rank: int
    payload: bytes


def run() -> list[Row]:
    """How fast the fleet takes in what it decodes, and how long a snapshot takes."""
    packed = list(stream(TRANSFERS))
    taking = min(_take(packed) for _ in range(ROUNDS))
    decoding = min(_decode(packed) for _ in range(ROUNDS))
    snapshot = _snapshot()
    return [
        {"what": "decode alone", "figure": _rate(len(packed), decoding), "aim": ""},
        {"what": "decode and take", "figure": _rate(len(packed), taking), "aim": ">= 100,000/s"},
        {
            "what": f"snapshot of {IN_FLIGHT:,} in flight, none changed",
            "figure": f"{snapshot * 1e3:.1f} ms",
            "aim": "<= 20 ms",
        },
    ]


def _rate(count: int, seconds: float) -> str:
    return f"{count / seconds:,.0f}/s ({seconds / count * 1e6:.1f} µs each)"


def _take(packed: list[Packed]) -> float:
    fleet = Fleet(CLOCK)
    began = time.process_time()
    for one in packed:
        fleet.take(Moment(one.at, record_of(one)))
    return time.process_time() - began


def _decode(packed: list[Packed]) -> float:
    began = time.process_time()
    for one in packed:
        Moment(one.at, record_of(one))
    return time.process_time() - began


def _snapshot() -> float:
    census = Census(CLOCK)
    last = 0
    for one in stream(IN_FLIGHT, upto=-8):
        census.take(Moment(one.at, record_of(one)))
        last = one.at
    census.snapshot(last)
    began = time.process_time()
    for step in range(10):
        census.snapshot(last + step)
    return (time.process_time() - began) / 10


def record_of(one: Packed) -> Record:
    return Record(
        process=one.process,
        seq=one.seq,
        at=one.at,
        wall=one.at,
        clock=CLOCK,
        engine=P if one.role is Role.PRODUCER else D,
        role=one.role,
        rank=one.rank,
        event=unpack(one.payload),
    )


def stream(transfers: int, upto: int | None = None) -> Iterator[Packed]:
    """The events of so many transfers, some at once, as far as each is told."""
    seqs: dict[str, int] = {}
    at = 0
    for first in range(0, transfers, AT_ONCE):
        lives = [life(n)[:upto] for n in range(first, min(first + AT_ONCE, transfers))]
        for event in chain.from_iterable(zip(*lives, strict=True)):
            role = event.role or Role.CONSUMER
            rank = -1 if event.scheduler else 0
            process = f"{role}{rank}" * 8
            seqs[process] = seqs.get(process, 0) + 1
            at += 10_000
            yield Packed(process, seqs[process], at, role, rank, pack(event))


def life(number: int) -> list[Event]:
    """Both halves of one transfer, in the order in which they happen."""
    name = f"cmpl-8b0f6d1c-2f5e-4a8b-9c77-{number:012d}-0-"
    mine, theirs = name + "deadbeef", name + "0badcafe"
    admitted, *asking, received, resumed = scheduler_of_consumer(theirs)
    queued, sent, *landing = rank_of_consumer(theirs)
    blocks, lease, *writing, written, reported = rank_of_producer(mine)
    return [
        admitted,
        *asking,
        queued,
        sent,
        events.PrefillAdmitted(request=mine, tokens=4096),
        events.BlocksReady(request=mine, status="length", blocks=256),
        events.BlocksShipped(request=mine),
        blocks,
        lease,
        *writing,
        written,
        *landing,
        reported,
        events.BlocksReleased(request=mine),
        received,
        resumed,
    ]
