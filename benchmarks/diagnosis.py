"""From a recording's file to its diagnoses: transfers a second on one core, and the memory."""

import gzip
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Row
from benchmarks.transfer_state import CLOCK, record_of, stream
from kvtrace.cli.diagnose import _read as read
from kvtrace.moments import Moment
from kvtrace.recording import Header, Scribe, header_line

TRANSFERS = 100_000
LOST = 100
"""One in so many hangs: its last events are left out."""


def run() -> list[Row]:
    """How long it takes for a recording with one hanging transfer in a hundred."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "many.kvtrace.gz"
        events = _write(path)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began = time.process_time()
        found = read(path, 0).last
        took = time.process_time() - began
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        grown = peak - before
    hanging = found.totals.stalled
    return [
        {
            "what": f"{TRANSFERS:,} transfers, {events:,} events, {hanging} of them stalled",
            "figure": f"{took:.1f} s of CPU, {took / events * 1e6:.0f} µs an event, "
            f"{TRANSFERS / took:,.0f} transfers/s, "
            f"{grown // 1024} MiB more, {peak // 1024} MiB in all",
            "aim": ">= 10,000 transfers/s, <= 1 GiB",
        }
    ]


def _write(path: Path) -> int:
    scribe = Scribe(Header(kvtrace=1, clock=CLOCK))
    count = 0
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(header_line(Header(kvtrace=1, clock=CLOCK)))
        for moment in _moments():
            file.write(scribe.lines(moment))
            count += moment.news is not None
    return count


def _moments() -> Iterator[Moment]:
    last = 0
    hanging = {f"{number:012d}" for number in range(0, TRANSFERS, LOST)}
    for one in stream(TRANSFERS):
        record = record_of(one)
        name = record.event.request[-23:-11] if record.event.request else ""
        late = type(record.event).__name__ in ("RequestResumed", "ReceiveFinished")
        last = one.at
        if not (late and name in hanging):
            yield Moment(one.at, record)
    yield Moment(last + 60 * 10**9)
