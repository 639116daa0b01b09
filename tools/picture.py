"""Make the README's picture of the live screen: the real app, on a real recording.

python tools/picture.py examples/recordings/demo.kvtrace.gz docs/pictures/live.svg
python tools/picture.py FILE OUT.svg --at 12.5 --size 120x34 --keys j,enter
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

from kvtrace.cli.watching import snapshots  # noqa: E402  (found by the path above)
from kvtrace.snapshot import Snapshot  # noqa: E402
from kvtrace.sources.recording import open_recording  # noqa: E402
from kvtrace.tui.app import KvtraceApp  # noqa: E402

SECOND = 1_000_000_000


def until(file: Path, at: float | None) -> Snapshot:
    """What was known so many seconds after the recording began; at its end where None."""
    found = None
    with closing(open_recording(file)) as recording:
        for snapshot in snapshots(recording, recording.header):
            if at is not None and snapshot.at - recording.header.monotonic > at * SECOND:
                break
            found = snapshot
    if found is None:
        raise SystemExit(f"{file}: nothing was known by then; choose a later --at")
    return found


async def picture(snapshot: Snapshot, size: tuple[int, int], keys: list[str], source: str) -> str:
    """The screen as SVG once these keys were pressed."""
    finished = threading.Event()

    def held() -> Iterator[Snapshot]:
        yield snapshot
        finished.wait()

    app = KvtraceApp(held(), source=source, zone=UTC, environ={})
    async with app.run_test(size=size) as pilot:
        while app.frame is None or app.frame.snapshot is not snapshot:
            await pilot.pause(0.02)
        await pilot.press(*keys)
        await pilot.pause()
        drawn = app.export_screenshot(title="kvtrace live")
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
    parser.add_argument("--source", default="/dev/shm/kvtrace-1000", help="what is said to be read")
    given = parser.parse_args()
    width, height = (int(number) for number in given.size.split("x"))
    keys = given.keys.split(",") if given.keys else []
    snapshot = until(given.recording, given.at)
    drawn = asyncio.run(picture(snapshot, (width, height), keys, given.source))
    given.picture.parent.mkdir(parents=True, exist_ok=True)
    given.picture.write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
