"""Sends what a recording tells to an OTLP endpoint, as an agent would have: to try a backend.

`python tools/send.py RECORDING [ENDPOINT]`; OTEL_LOGS_EXPORTER=none where it takes only traces.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TypeVar

from kvtrace.destination import destinations
from kvtrace.errors import KvtraceError
from kvtrace.moments import Moment, Record
from kvtrace.signals.deriver import Deriver
from kvtrace.signals.logs import Log, Resource, resource_of
from kvtrace.signals.spans import Span
from kvtrace.sinks.otlp.answer import Fate
from kvtrace.sinks.otlp.messages import Messages
from kvtrace.sinks.otlp.sender import open_sender
from kvtrace.sources.recording import open_recording

SECOND = 1_000_000_000
BATCH = 256
LIMIT = 10.0
"""Seconds for one request."""

T = TypeVar("T")


def main(words: Sequence[str] | None = None) -> int:
    """Send it; 0 when all was taken, 1 when not, 2 when it could not be read or sent at all."""
    parser = argparse.ArgumentParser(prog="send.py", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("recording", type=Path, help="such as examples/recordings/demo.kvtrace.gz")
    parser.add_argument("endpoint", nargs="?", default="http://127.0.0.1:4317", help="%(default)s")
    asked = parser.parse_args(words)
    try:
        return send(asked.recording, asked.endpoint)
    except KvtraceError as error:
        sys.stderr.write(f"send.py: {error}\n")
        return 2


def send(recording: Path, endpoint: str) -> int:
    """Send the recording; whether any of it was not taken."""
    messages = made_of(recording)
    refused = 0
    for one in destinations(os.environ, endpoint):
        with closing(open_sender(one)) as sender:
            answers = [sender.send(message, LIMIT) for message in messages.get(one.signal, ())]
        bad = [answer for answer in answers if answer.fate is not Fate.TAKEN]
        refused += len(bad)
        sys.stdout.write(f"{one.signal}: {one.endpoint} took {len(answers) - len(bad)} requests")
        sys.stdout.write(f", not {len(bad)}: {bad[0].why}\n" if bad else "\n")
    return int(refused > 0)


def made_of(path: Path) -> dict[str, list[bytes]]:
    """The requests for each signal."""
    source = open_recording(path)
    moments = list(source)
    source.close()
    records = [moment.news for moment in moments if isinstance(moment.news, Record)]
    whose = {one.process: resource_of(one.process, one.engine, one.clock, {}) for one in records}
    now = time.time_ns()
    logs = [(whose[one.process], Log(one, now)) for one in records]
    spans = [(whose[one.process], one) for one in spans_of(moments, source.header.clock)]
    pack = Messages()
    return {
        "logs": [pack.logs(batch) for batch in batches(logs)],
        "traces": [pack.spans(batch) for batch in batches(spans)],
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
    sys.exit(main())
