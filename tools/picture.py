"""Make the README's picture of the live screen: the real app, on a real recording.

python tools/picture.py FILE docs/pictures/live.svg --at 22 --size 120x30
python tools/picture.py FILE docs/pictures/transfer.svg --at 22 --size 120x36 --keys enter
"""

import argparse
import asyncio
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from kvtrace.cli.replaying import known_at, look_through  # noqa: E402  (found by the path above)
from kvtrace.playback import Playback  # noqa: E402
from kvtrace.snapshot import Snapshot  # noqa: E402
from kvtrace.sources.recording import length, open_recording  # noqa: E402
from kvtrace.tui.app import KvtraceApp  # noqa: E402

SECOND = 1_000_000_000


def standing(file: Path, at: float | None) -> tuple[Snapshot, Playback]:
    """What was known so many seconds after the recording began, and a replay that stands there."""
    with closing(open_recording(file)) as recording:
        playback = Playback(recording.header.monotonic, length=length(file))
        position = playback.length or 0 if at is None else int(at * SECOND)
        playback.pause()
        playback.reach(position)
        look_through(file, playback)
        return known_at(recording, position), playback


async def picture(
    shown: tuple[Snapshot, Playback], size: tuple[int, int], keys: list[str], source: str
) -> str:
    """The screen as SVG once these keys were pressed."""
    snapshot, playback = shown
    finished = threading.Event()

    def held() -> Iterator[Snapshot]:
        yield snapshot
        finished.wait()

    app = KvtraceApp(held(), source=source, playback=playback, zone=UTC, environ={})
    async with app.run_test(size=size) as pilot:
        while app.frame is None or app.frame.snapshot is not snapshot:
            await pilot.pause(0.02)
        await pilot.press(*keys)
        await pilot.pause()
        drawn = app.export_screenshot(title="kvtrace replay")
        finished.set()
    return drawn


def main() -> None:
    """Read the arguments, and write the picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recording", type=Path)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--at", type=float, help="seconds since the recording began")
    parser.add_argument("--size", default="120x34", help="columns x rows")
    parser.add_argument("--keys", default="", help="keys to press, with commas between")
    given = parser.parse_args()
    width, height = (int(number) for number in given.size.split("x"))
    keys = given.keys.split(",") if given.keys else []
    shown = standing(given.recording, given.at)
    drawn = asyncio.run(picture(shown, (width, height), keys, given.recording.name))
    given.picture.parent.mkdir(parents=True, exist_ok=True)
    given.picture.write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
