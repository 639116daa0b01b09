"""Watches the black boxes of a run as `kvtrace live` does, and keeps which causes were named.

One thread reads the boxes and is the only one that touches the monitor; others read what it
found under its lock.
"""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from kvtrace import monitor  # noqa: F401 - here, and not when the first snapshot is due
from kvtrace.causes import Cause
from kvtrace.cli.watching import snapshots, started
from kvtrace.events import HeartbeatSent, LeaseRenewed, StepSampled, TablesSampled
from kvtrace.moments import Moment, Record
from kvtrace.sinks.recording import RecordingWriter
from kvtrace.snapshot import Snapshot
from kvtrace.sources import run_directory
from kvtrace.wire import kind
from lab.errors import LabError
from lab.voice import Voice


class Watcher:
    """What is known of the run's transfers, from the moment it is entered."""

    def __init__(
        self,
        boxes: Path,
        record: Path | None = None,
        about: str = "",
        voice: Voice | None = None,
    ) -> None:
        """`record` keeps what is heard from now on, and of requests only those `about` is in.

        The `voice` is a router's that speaks to kvtrace; without it only engines speak.
        """
        self._boxes = boxes
        self._voice = voice
        self._heard = 0 if voice is None else voice.number
        self._about = about
        self._kin: set[str] = set()
        """Requests that vLLM sends in the place of those, under ids of their own."""

        self._header = started()
        self._writer = None
        if record is not None:
            self._writer = RecordingWriter(record, self._header, force=True)
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._named: dict[str, list[Cause]] = {}
        self._told: list[tuple[str, str]] = []
        self._failed: Exception | None = None
        self._thread = threading.Thread(target=self._watch, name="lab-watcher", daemon=True)
        self.last: Snapshot | None = None

    def __enter__(self) -> "Watcher":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        self._thread.join(20)
        if self._writer is not None:
            self._writer.close()

    def named(self, request: str) -> list[Cause]:
        """The causes that were named for a request, in their order; each change once.

        For an empty request: those of engines as a whole.
        """
        with self._lock:
            found = [
                cause
                for name, causes in self._named.items()
                if (request and request in name) or (not request and not name)
                for cause in causes
            ]
        return found

    def everything(self) -> dict[str, list[Cause]]:
        """The causes of every transfer that any was named for."""
        with self._lock:
            return {name: list(causes) for name, causes in self._named.items()}

    def has_told(self, event: str, request: str) -> bool:
        """Whether the engines told of this event of the request."""
        with self._lock:
            return any(name == event and request in whose for name, whose in self._told)

    def until(self, true: Callable[[], bool], seconds: float) -> bool:
        """Wait until it is so; whether it became so in time.

        Raises:
            LabError: if kvtrace does not watch any more.
        """
        deadline = time.monotonic() + seconds
        while not true():
            if self._failed is not None:
                raise LabError(f"kvtrace stopped watching: {self._failed!r}")
            if time.monotonic() > deadline:
                return False
            time.sleep(0.1)
        return True

    def _watch(self) -> None:
        try:
            self._take_in()
        except Exception as error:
            self._failed = error
            raise

    def _take_in(self) -> None:
        for snapshot in snapshots(self._moments(), self._header):
            with self._lock:
                self.last = snapshot
                for name, cause in _causes(snapshot):
                    causes = self._named.setdefault(name, [])
                    if not causes or causes[-1] is not cause:
                        causes.append(cause)

    def _moments(self) -> Iterator[Moment]:
        for moment in self._everybody():
            if self._stop.is_set():
                return
            if self._writer is not None and self._is_worth_it(moment):
                self._writer.write(moment)
            if isinstance(moment.news, Record):
                self._hear(moment.news)
            yield moment

    def _everybody(self) -> Iterator[Moment]:
        """What the engines tell, and the router."""
        for moment in run_directory.watch(self._boxes):
            for record in () if self._voice is None else self._voice.after(self._heard):
                self._heard = record.seq
                yield Moment(moment.at, record)
            yield moment

    def _is_worth_it(self, moment: Moment) -> bool:
        record = moment.news
        if not isinstance(record, Record):
            return True
        request, remote = record.event.request, getattr(record.event, "remote_request", "")
        if request or remote:
            mine = self._about in request or self._about in remote
            if mine and request:
                self._kin.add(request)
            return mine or request in self._kin
        # What an engine told of itself long ago is worth keeping, its samples of then are not.
        return not isinstance(record.event, _SAMPLES) or record.wall >= self._header.started_at

    def _hear(self, record: Record) -> None:
        remote = getattr(record.event, "remote_request", "")
        with self._lock:
            self._told.append((kind(record.event), f"{record.event.request} {remote}"))


_SAMPLES = (StepSampled, TablesSampled, HeartbeatSent, LeaseRenewed)


def _causes(snapshot: Snapshot) -> Iterator[tuple[str, Cause]]:
    for row in snapshot.rows:
        found = snapshot.diagnoses.get(row.transfer.id)
        if found is not None:
            yield row.id, found.cause
    for done in snapshot.done:
        if done.diagnosis is not None:
            yield done.id, done.diagnosis.cause
    for about_engine in snapshot.engine_diagnoses:
        yield "", about_engine.cause
