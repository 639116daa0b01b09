"""Says how the snapshots come: live, replayed at a speed, paused, over, or no more."""

import math

from kvtrace import words
from kvtrace.playback import Playback
from kvtrace.snapshot import Snapshot
from kvtrace.tui.frame import Mode, Status


def live(latest: Snapshot, held: Snapshot | None) -> Status:
    """Live, or paused and how far behind."""
    if held is None:
        return Status(Mode.LIVE)
    behind = words.wait(max(latest.at - held.at, 0))
    missed = words.count(max(latest.events - held.events, 0))
    return Status(Mode.PAUSED, f"{behind} and {missed} events behind", behind)


def replay(playback: Playback) -> Status:
    """At which speed, and how far it has come."""
    where = _where(playback)
    if playback.over:
        said = f"It {playback.said}." if playback.said else ""
        return Status(Mode.OVER, f"The recording is over. {said}".rstrip())
    if playback.paused:
        return Status(Mode.PAUSED, f"at {where}")
    speed = "at full speed" if math.isinf(playback.speed) else f"{playback.speed:g}x"
    return Status(Mode.REPLAY, f"{speed}  {where}")


def over(reason: str | None, source: str, playback: Playback | None) -> Status:
    """Why there is no more."""
    if reason is not None:
        return Status(Mode.LOST, reason)
    said = "The recording is over." if playback else f"Nothing more comes from {source}."
    return Status(Mode.OVER, said)


def _where(playback: Playback) -> str:
    if not playback.length:
        return words.wait(playback.position)
    position = min(playback.position, playback.length)
    return words.share(100 * position // playback.length, position)
