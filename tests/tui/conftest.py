from collections.abc import Callable, Iterator
from datetime import UTC
from functools import cache
from threading import Event

import pytest

from kvtrace.snapshot import Snapshot
from kvtrace.tui.app import KvtraceApp
from tests.tui import samples

Hold = Callable[..., Iterator[Snapshot]]
Start = Callable[..., KvtraceApp]


@cache
def incident() -> Snapshot:
    """Seven stalled, and others."""
    return samples.snapshot(samples.incident())


@pytest.fixture
def hold() -> Iterator[Hold]:
    """Makes iterators that yield snapshots and then block, as a source does that hears nothing."""
    released = Event()

    def held(*snapshots: Snapshot) -> Iterator[Snapshot]:
        yield from snapshots
        released.wait(60)

    yield held
    released.set()


@pytest.fixture
def start(hold: Hold) -> Start:
    """Makes apps on snapshots that are held."""

    def made(*snapshots: Snapshot, language: str = "en_US.UTF-8") -> KvtraceApp:
        shown = hold(*(snapshots or (incident(),)))
        return KvtraceApp(shown, source="4 black boxes", zone=UTC, environ={"LANG": language})

    return made
