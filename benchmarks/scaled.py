"""A stream as large as asked, of the transfers of a real recording under new ids and times."""

import json
import os
import sys
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from itertools import count, cycle
from pathlib import Path
from typing import TypeAlias

import msgspec

from kvtrace.cli.interrupts import end_with_parent
from kvtrace.cli.view import Form, View
from kvtrace.cli.watching import snapshots, started
from kvtrace.identity import base_id
from kvtrace.moments import Moment, Record
from kvtrace.snapshot import Snapshot
from kvtrace.sources.recording import open_recording

DEMO = Path(__file__).parents[1] / "examples" / "recordings" / "demo.kvtrace.gz"
RATE = 5_000
SECOND = 1_000_000_000
FRAME = 0.02
"""Seconds between two bursts."""

Life: TypeAlias = list[tuple[Record, dict[str, str]]]
"""The events of one transfer, each with the fields that name it, the id taken out."""


def lives() -> tuple[list[Record], list[Life]]:
    """What engines say of themselves, and the events of each transfer that was told whole."""
    told: dict[str, list[Record]] = {}
    engines = []
    for moment in open_recording(DEMO):
        if not isinstance(moment.news, Record):
            continue
        request = getattr(moment.news.event, "request", "")
        if request:
            told.setdefault(base_id(request), []).append(moment.news)
        else:
            engines.append(moment.news)
    usual = Counter(map(len, told.values())).most_common(1)[0][0]
    return engines, [
        [(one, _naming(one, base)) for one in events]
        for base, events in told.items()
        if len(events) == usual
    ]


def _naming(record: Record, base: str) -> dict[str, str]:
    event = record.event
    fields = ((name, getattr(event, name)) for name in event.__struct_fields__)
    return {n: v.replace(base, "{}") for n, v in fields if isinstance(v, str) and base in v}


class Stream:
    """Keeps so many transfers in flight: as one begins, the oldest ends."""

    def __init__(self, flying: int, clock: str) -> None:
        self._engines, self._lives = lives()
        self._flying, self._clock = flying, clock
        self._seqs: Counter[str] = Counter()
        self.fed = self.ended = 0
        self.begun: tuple[float, int] | None = None
        """When all in flight had begun, and how many events that took."""

    @property
    def events(self) -> int:
        """Of one transfer."""
        return len(self._lives[0])

    def records(self) -> Iterator[Record]:
        """One event after the other, for ever; at first those that begin what is in flight."""
        yield from self._engines
        begun: deque[tuple[Life, str]] = deque()
        half = self.events // 2
        for life, number in zip(cycle(self._lives), count(), strict=False):
            name = f"scaled-{number:012x}"
            begun.append((life, name))
            yield from (_named(one, how, name) for one, how in life[:half])
            if len(begun) > self._flying:
                life, name = begun.popleft()
                yield from (_named(one, how, name) for one, how in life[half:])
                self.ended += 1

    def moments(self, records: Iterable[Record]) -> Iterator[Moment]:
        """Each as if it happened now."""
        for record in records:
            self._seqs[record.process] += 1
            at = time.monotonic_ns()
            self.fed += 1
            yield Moment(
                at,
                msgspec.structs.replace(
                    record,
                    seq=self._seqs[record.process],
                    at=at,
                    wall=time.time_ns(),
                    clock=self._clock,
                ),
            )

    def paced(self) -> Iterator[Moment]:
        """Those in flight at once, and from then on as many events a second as asked."""
        coming = self.moments(self.records())
        for _ in range(len(self._engines) + self._flying * (self.events // 2)):
            yield next(coming)
        self.begun = began, first = time.monotonic(), self.fed
        while True:
            due = int((time.monotonic() - began) * RATE) - (self.fed - first)
            for _ in range(due):
                yield next(coming)
            yield Moment(time.monotonic_ns())
            time.sleep(FRAME)


def _named(record: Record, naming: dict[str, str], name: str) -> Record:
    given = {field: text.format(name) for field, text in naming.items()}
    return msgspec.structs.replace(record, event=msgspec.structs.replace(record.event, **given))


def show(flying: int, said: Path) -> None:
    """The live screen over such a stream, until one quits; then writes what came and was shown."""
    end_with_parent()
    start = started()
    stream = Stream(flying, start.clock)
    last: list[Snapshot] = []
    fed = 0

    def kept() -> Iterator[Snapshot]:
        nonlocal fed
        for snapshot in snapshots(stream.paced(), start):
            last[:], fed = [snapshot], stream.fed
            yield snapshot

    View(Form.SCREEN).show(kept(), "scaled")
    found = last[0]
    began, first = stream.begun or (0.0, fed)
    told = {
        "fed": fed,
        "paced": fed - first,
        "seconds": time.monotonic() - began if stream.begun else 0.0,
        "shown": found.events,
        "waiting": found.totals.waiting,
        "forgotten": found.losses.forgotten,
        "finished": found.totals.finished,
    }
    said.write_text(json.dumps(told))
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    show(int(sys.argv[1]), Path(sys.argv[2]))
