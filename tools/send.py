"""Sends what a recording tells to an OTLP endpoint, as an agent would have: to try a backend.

`python tools/send.py RECORDING [ENDPOINT]`; OTEL_LOGS_EXPORTER=none where it takes only traces.
"""

import os
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TypeVar

from google.protobuf.message import Message

from kvtrace.destination import destinations
from kvtrace.moments import Moment, Record
from kvtrace.signals.deriver import Deriver
from kvtrace.signals.logs import Resource, log_of, resource_of
from kvtrace.signals.spans import Span
from kvtrace.sinks.otlp.answer import Fate
from kvtrace.sinks.otlp.messages import logs_request, traces_request
from kvtrace.sinks.otlp.sender import open_sender
from kvtrace.sources.recording import open_recording

SECOND = 1_000_000_000
BATCH = 256
LIMIT = 10.0
"""Seconds for one request."""

T = TypeVar("T")


def main(recording: str, endpoint: str = "http://127.0.0.1:4317") -> int:
    """Send it; 1 where not all of it was taken."""
    messages = made_of(Path(recording))
    refused = 0
    for one in destinations(os.environ, endpoint):
        sender = open_sender(one)
        for message in messages.get(one.signal, ()):
            answer = sender.send(message, LIMIT)
            refused += answer.fate is not Fate.TAKEN
        sender.close()
    sys.stdout.write(f"{recording}: {refused} requests were not taken\n")
    return int(refused > 0)


def made_of(path: Path) -> dict[str, list[Message]]:
    """The requests for each signal."""
    source = open_recording(path)
    moments = list(source)
    source.close()
    records = [moment.news for moment in moments if isinstance(moment.news, Record)]
    whose = {one.process: resource_of(one.process, one.engine, one.clock, {}) for one in records}
    now = time.time_ns()
    logs = [(whose[one.process], log_of(one, now)) for one in records]
    spans = [(whose[one.process], one) for one in spans_of(moments, source.header.clock)]
    return {
        "logs": [logs_request(batch) for batch in batches(logs)],
        "traces": [traces_request(batch) for batch in batches(spans)],
    }


def spans_of(moments: list[Moment], clock: str) -> Iterator[Span]:
    """What an agent would have made of these, and of half a minute of silence after them."""
    deriver = Deriver(clock)
    for moment in moments:
        if moment.news is not None:
            yield from deriver.take(moment.news, moment.at)
        yield from deriver.tick(moment.at, 0)
    for step in range(1, 31):
        yield from deriver.tick(moments[-1].at + step * SECOND, 0)


def batches(items: list[tuple[Resource, T]]) -> Iterator[list[tuple[Resource, T]]]:
    """So many at a time."""
    rest = iter(items)
    while batch := list(islice(rest, BATCH)):
        yield batch


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
