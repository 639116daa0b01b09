"""An engine dies under the screen and comes back: the screen goes on, and says so."""

from collections.abc import Iterator
from datetime import UTC
from queue import Queue

import msgspec
from textual.pilot import Pilot

from kvtrace.snapshot import Snapshot
from kvtrace.tui.app import KvtraceApp
from tests.tui.test_app import screen, settled
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    prefill_admitted,
    registration_noticed,
)
from tests.unit.story import P, Story


def life() -> Iterator[Snapshot]:
    """Alive, dead, and begun anew by another process under the same id."""
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, registration_noticed())
    yield story.snapshot
    yield story.dies(P).dies(P, rank=0).at(1).snapshot
    again = msgspec.structs.replace(P, restarts=1)
    story.at(3, prefill_admitted(request="another"), by=again)
    yield story.at(3, registration_noticed(), rank=0, by=again).snapshot


async def shows(pilot: Pilot[None], snapshot: Snapshot, app: KvtraceApp) -> str:
    for _ in range(200):
        await pilot.pause(0.02)
        if app.frame is not None and app.frame.snapshot is snapshot:
            break
    return screen(app)


async def test_an_engine_that_dies_and_comes_back_is_told_of_and_the_screen_goes_on() -> None:
    coming: Queue[Snapshot | None] = Queue()
    app = KvtraceApp(iter(coming.get, None), source="boxes", zone=UTC, environ={})
    alive, dead, anew = life()
    coming.put(alive)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        assert "died" not in screen(app)
        coming.put(dead)
        assert "✗ died" in await shows(pilot, dead, app)
        coming.put(anew)
        text = await shows(pilot, anew, app)
        assert "restarted" in text
        assert "✗ died" not in text
        assert "● live" in text
        coming.put(None)
