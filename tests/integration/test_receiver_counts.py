"""What is sent against what is shown, one by one; and by OTLP the same as by replay."""

import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import grpc
import pytest

from kvtrace.census import Census
from kvtrace.document import document
from kvtrace.moments import Moment, News, Record
from kvtrace.monitor import watch
from kvtrace.signals.logs import Log, Resource, resource_of
from kvtrace.snapshot import Snapshot
from kvtrace.sources.otlp.inbox import Inbox
from kvtrace.sources.recording import open_recording
from tests.integration.receiving import LOGS, arrived, export, receiving
from tests.otlp_messages import logs_request
from tests.unit.sources.otlp.requests import record

ROOT = Path(__file__).parents[2]
RECORDINGS = (
    ROOT / "tests/recordings/version-1.kvtrace",
    ROOT / "examples/recordings/demo.kvtrace.gz",
)
BATCH = 500


def test_of_100_000_events_none_is_lost_and_none_counted_twice() -> None:
    """From four senders at once, in any order, some batches twice, into a small inbox."""
    batches = [
        [record(seq, process=f"{process:032x}") for seq in range(start, start + BATCH)]
        for process in range(1, 5)
        for start in range(1, 25_001, BATCH)
    ]
    chance = random.Random(1)
    sent = [*batches, *chance.sample(batches, 20)]
    chance.shuffle(sent)
    with receiving(Inbox(most_news=5_000)) as receiver:
        snapshots: list[Snapshot] = []
        done = threading.Event()
        watching = threading.Thread(
            target=lambda: snapshots.extend(watch(receiver.watch(done.is_set)))
        )
        watching.start()
        try:
            with grpc.insecure_channel(str(receiver.grpc)) as channel:
                call = channel.unary_unary(LOGS)
                with ThreadPoolExecutor(4) as senders:
                    list(senders.map(lambda batch: _until_taken(call, batch), sent))
        finally:
            done.set()
            watching.join()
    counts = receiver.counts.received
    assert counts.events == len(sent) * BATCH
    assert (counts.unreadable, counts.unknown, counts.foreign) == (0, 0, 0)
    assert snapshots[-1].events == 100_000
    assert snapshots[-1].losses.unreadable == 0


def _until_taken(call: grpc.UnaryUnaryMultiCallable, batch: list[Record]) -> None:
    """Sends it, and again as long as the receiver says that it is full."""
    raw = logs_request(_items(batch)).SerializeToString()
    deadline = time.monotonic() + 100
    while True:
        try:
            call(raw, timeout=60)
            return
        except grpc.RpcError as error:
            if error.code() is not grpc.StatusCode.RESOURCE_EXHAUSTED:
                raise
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _items(news: list[Record] | list[News]) -> Iterator[tuple[Resource, Log]]:
    for one in news:
        engine, clock = (one.engine, one.clock) if isinstance(one, Record) else ("", "")
        yield resource_of(one.process, engine, clock, {}), Log(one, 1)


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name)
def test_a_recording_sent_as_otlp_shows_what_its_replay_shows(path: Path) -> None:
    with closing(open_recording(path)) as recording:
        moments, clock = list(recording), recording.header.clock
    told = [moment.news for moment in moments if moment.news is not None]
    received: list[News] = []
    with receiving() as receiver:
        for start in range(0, len(told), BATCH):
            items = _items(told[start : start + BATCH])
            export(receiver.grpc, logs_request(items).SerializeToString())
            received += arrived(receiver)
    # A request is grouped by process, so that only within each the order stays.
    assert sorted(received, key=repr) == sorted(told, key=repr)
    last = moments[-1].at
    again = [Moment(last, news) for news in received]
    assert _shown(again, clock) == _shown(moments, clock)


def _shown(moments: list[Moment], clock: str) -> object:
    """All that does not depend on when we saw it."""
    census = Census(clock)
    for moment in moments:
        census.take(moment)
    whole = document(census.snapshot(moments[-1].at))
    done, flying = ([*whole[key]] for key in ("done", "transfers"))  # type: ignore[misc]
    return {
        **{key: whole[key] for key in ("totals", "events", "oldest")},
        "done": sorted(done, key=repr),
        "transfers": sorted(flying, key=repr),
    }
