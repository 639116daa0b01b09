"""An engine, or the source, dies under the screen and comes back: the screen goes on."""

from collections.abc import Iterator
from datetime import UTC
from queue import Queue

import msgspec
from textual.pilot import Pilot

from kvtrace.cli.watching import Reopened
from kvtrace.errors import BlackBoxError
from kvtrace.snapshot import Snapshot
from kvtrace.tui.app import KvtraceApp
from kvtrace.tui.frame import Mode
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


async def test_a_source_that_comes_back_is_live_again_and_says_what_was_missed() -> None:
    alive, dead, _ = life()
    coming: Queue[Snapshot | Exception | None] = Queue()

    def opened() -> Iterator[Snapshot]:
        while (one := coming.get()) is not None:
            if isinstance(one, Exception):
                raise one
            yield one

    app = KvtraceApp(Reopened(opened), source="boxes", zone=UTC, environ={})
    app._feed._pause = 0.05
    coming.put(alive)
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot)
        coming.put(BlackBoxError("/dev/shm/a: cannot be listed"))
        await settled(pilot, mode=Mode.LOST)
        assert "✗ source lost" in screen(app)
        assert "/dev/shm/a: cannot be listed" in screen(app)
        coming.put(dead)
        text = await shows(pilot, dead, app)
        assert "source lost" not in text
        assert "● live" in text
        await pilot.pause(0.15)
        assert "heard again, 1.00 s missed" in screen(app)
    coming.put(None)


async def test_a_source_that_cannot_come_back_stays_lost() -> None:
    def dying() -> Iterator[Snapshot]:
        yield from list(life())[:1]
        raise BlackBoxError("gone")

    app = KvtraceApp(dying(), source="boxes", zone=UTC, environ={})
    app._feed._pause = 0.01
    async with app.run_test(size=(120, 40)) as pilot:
        await settled(pilot, mode=Mode.LOST)
        await pilot.pause(0.2)
        assert "✗ source lost" in screen(app)
