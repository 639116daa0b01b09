"""Draws one snapshot as the screen would show it, on no terminal."""

from collections.abc import Iterator
from threading import Event

from textual.pilot import Pilot

from kvtrace.playback import Playback
from kvtrace.snapshot import Snapshot
from kvtrace.tui.app import KvtraceApp

SIZE = (120, 40)
"""Columns and rows."""

PATIENCE = 200
"""Turns of the app that its first drawing may take."""


def picture(snapshot: Snapshot, source: str, playback: Playback | None = None) -> str:
    """The fleet as SVG."""
    drawn = Event()
    shots: list[str] = []

    def held() -> Iterator[Snapshot]:
        yield snapshot
        drawn.wait()

    app = KvtraceApp(held(), source=source, playback=playback, environ={})

    async def shoot(pilot: Pilot[object]) -> None:
        for _ in range(PATIENCE):
            await pilot.pause()
            if app.frame is not None and app.frame.snapshot is snapshot:
                break
        await pilot.pause()
        shots.append(app.export_screenshot(title="kvtrace"))
        drawn.set()
        app.exit()

    app.run(headless=True, size=SIZE, auto_pilot=shoot)
    return shots[0]
