"""From OTLP over gRPC to transfer state: events a second on one core, beside what only parses.

Client and receiver have a process and, where there are two, a core each.
"""

import multiprocessing
import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent import futures
from itertools import islice
from multiprocessing.connection import Connection
from typing import Any, TypeAlias

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from benchmarks.measure import Row, promised
from benchmarks.transfer_state import CLOCK, record_of, stream
from kvtrace.census import Census
from kvtrace.fleet import Fleet
from kvtrace.garbage import collect_seldom
from kvtrace.signals.logs import Log, resource_of
from kvtrace.sinks.otlp.messages import Messages
from kvtrace.sources.otlp.address import Address
from kvtrace.sources.otlp.receiver import Receiver, Setup
from kvtrace.sources.otlp.rpc import METHODS, grpc

TRANSFERS = 6000
BATCH = 512
IN_FLIGHT = 8
ROUNDS = 4
LEAST = 35_000
"""Events a second by the clock, where 60,000 is the aim."""

SNAPSHOT = 1_000_000_000
"""Nanoseconds between two snapshots, as kvtrace collect makes them."""

LOGS = next(iter(METHODS))
Measured: TypeAlias = tuple[int, float, float]
"""Events, wall seconds and CPU seconds."""


def run() -> list[Row]:
    """How fast each takes in the same requests."""
    requests, events = _requests()
    servers: dict[str, tuple[Serve, int]] = {
        "gRPC alone, nothing parsed": (_raw, 0),
        "a server that parses and counts": (_parse, 0),
        "kvtrace, into transfer state": (_into_fleet, LEAST),
        "the same, and a snapshot each second": (_into_census, 0),
    }
    rows = []
    for name, (serve, least) in servers.items():
        best = max((_measure(serve, requests, events) for _ in range(ROUNDS)), key=_rate)
        count, _, cpu = best
        rows.append(
            {
                "what": name,
                "by the clock": f"{_rate(best):,.0f}/s",
                "by its CPU time": f"{count / cpu:,.0f}/s ({cpu / count * 1e6:.1f} µs each)",
                "at least": promised(f"{least:,}/s", _rate(best) >= least) if least else "",
            }
        )
    return rows


Serve: TypeAlias = "Callable[[Connection, int], None]"


def _rate(measured: Measured) -> float:
    return measured[0] / measured[1]


def _measure(serve: Serve, requests: list[bytes], events: int) -> Measured:
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    server = spawn.Process(target=_alone, args=(serve, theirs, events))
    server.start()
    cores = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(cores)})
        _send(ours.recv(), requests)
        wall, cpu = ours.recv()
    finally:
        os.sched_setaffinity(0, cores)
        server.join(10)
        server.kill()
    return events, wall, cpu


def _alone(serve: Serve, pipe: Connection, events: int) -> None:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    serve(pipe, events)


def _send(port: int, requests: list[bytes]) -> None:
    """Sends all, so many at once; again what is refused, as any OTLP client does."""
    waiting = deque(requests)
    answered: queue.SimpleQueue[Any] = queue.SimpleQueue()
    under_way: dict[Any, bytes] = {}
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        call = channel.unary_unary(LOGS)
        while waiting or under_way:
            while waiting and len(under_way) < IN_FLIGHT:
                raw = waiting.popleft()
                one = call.future(raw, wait_for_ready=True)
                under_way[one] = raw
                one.add_done_callback(answered.put)
            one = answered.get()
            raw = under_way.pop(one)
            if one.code() is not grpc.StatusCode.OK:
                waiting.appendleft(raw)
                time.sleep(0.01)


def _requests() -> tuple[list[bytes], int]:
    """All events of many transfers as export requests, in the order in which they happen."""
    pack = Messages()
    records = map(record_of, stream(TRANSFERS))
    found, events = [], 0
    while some := list(islice(records, BATCH)):
        items = [
            (
                resource_of(one.process, one.engine, CLOCK, {"host.name": "host"}),
                Log(one, one.at),
            )
            for one in some
        ]
        found.append(pack.logs(items))
        events += len(items)
    return found, events


def _into_fleet(pipe: Connection, events: int) -> None:
    fleet = Fleet(CLOCK)
    _receive(pipe, events, lambda moment: fleet.take(moment))
    assert fleet.events == events


def _into_census(pipe: Connection, events: int) -> None:
    census = Census(CLOCK)
    due = 0

    def take(moment: Any) -> None:
        nonlocal due
        census.take(moment)
        if moment.at >= due:
            due = moment.at + SNAPSHOT
            census.snapshot(moment.at)

    _receive(pipe, events, take)


def _receive(pipe: Connection, events: int, take: Callable[[Any], None]) -> None:
    collect_seldom()
    receiver = Receiver(Setup(grpc=Address("127.0.0.1", 0), http=None))
    receiver.start()
    assert receiver.grpc is not None
    pipe.send(receiver.grpc.port)
    ended = threading.Event()
    taken = 0
    began = cpu = 0.0
    for moment in receiver.watch(ended.is_set):
        if moment.news is not None:
            if not taken:
                began, cpu = time.perf_counter(), time.process_time()
            taken += 1
            if taken >= events:
                ended.set()
        take(moment)
    pipe.send((time.perf_counter() - began, time.process_time() - cpu))
    receiver.stop()


def _raw(pipe: Connection, events: int) -> None:
    _serve(pipe, events, lambda raw: 0)


def _parse(pipe: Connection, events: int) -> None:
    def count(raw: bytes) -> int:
        parsed = ExportLogsServiceRequest.FromString(raw)
        return sum(len(s.log_records) for r in parsed.resource_logs for s in r.scope_logs)

    _serve(pipe, events, count)


def _serve(pipe: Connection, events: int, count: Callable[[bytes], int]) -> None:
    """A plain server over raw bytes; it ends when so many requests as hold all events came."""
    wanted = -(-events // BATCH)
    came: list[float] = []
    ended = threading.Event()
    cpu = [0.0]

    def answer(raw: bytes, _: Any) -> bytes:
        if not came:
            cpu[0] = time.process_time()
        count(raw)
        came.append(time.perf_counter())
        if len(came) >= wanted:
            ended.set()
        return b""

    served = {"Export": grpc.unary_unary_rpc_method_handler(answer)}
    server = grpc.server(futures.ThreadPoolExecutor(IN_FLIGHT))
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(LOGS.split("/")[1], served),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    pipe.send(port)
    ended.wait()
    pipe.send((came[-1] - came[0], time.process_time() - cpu[0]))
    server.stop(1).wait()
