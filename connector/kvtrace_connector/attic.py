"""Cleans up after the dead: removes black boxes that are old, or too many."""

import contextlib
import fcntl
import os
import re
from collections import defaultdict

import msgspec

from kvtrace.black_box import MAGIC, SUFFIX, Origin, unpack_record
from kvtrace.errors import BlackBoxError, WireError
from kvtrace.events import ProcessStarted
from kvtrace.glance import glance, held, open_box
from kvtrace.wire import unpack

OLDEST = 24 * 3600 * 1_000_000_000
"""Nanoseconds since the last write that a dead box is kept."""
GENERATIONS = 4
"""Dead boxes kept of one connector half of one engine."""
LARGEST = 256 << 20
"""Bytes of all dead boxes together."""

_NAME = re.compile(r"[0-9a-f]{32}" + re.escape(SUFFIX))


class Dead(msgspec.Struct, frozen=True, kw_only=True):
    """A black box that no process holds."""

    name: str
    size: int
    wall: int
    """When it was last written to, by the wall clock."""
    halves: tuple[str, ...] = ()
    """Whose it was, alike for each generation of one engine."""


def clean(directory: int, wall: int) -> None:
    """Remove the dead boxes in the directory that are too many or too old at that time.

    What cannot be looked at or removed is left: cleaning is never worth an error.
    """
    with contextlib.suppress(OSError):
        names = [name for name in os.listdir(directory) if _NAME.fullmatch(name)]
        dead = [found for name in names if (found := _look(directory, name, wall))]
        for box in surplus(dead, wall):
            _remove(directory, box.name)


def surplus(dead: list[Dead], wall: int) -> list[Dead]:
    """Those that need not be kept any longer."""
    kept: dict[str, int] = defaultdict(int)
    size = 0
    found = []
    for box in sorted(dead, key=lambda it: it.wall, reverse=True):
        for half in box.halves:
            kept[half] += 1
        crowded = bool(box.halves) and all(kept[half] > GENERATIONS for half in box.halves)
        if wall - box.wall > OLDEST or crowded or size + box.size > LARGEST:
            found.append(box)
        else:
            size += box.size
    return found


def _look(directory: int, name: str, wall: int) -> Dead | None:
    """The box, if it is one of ours and its process is gone."""
    try:
        opened = open_box(name, directory)
    except (OSError, BlackBoxError):
        return None
    try:
        return _judge(opened, name, wall)
    except OSError:
        return None
    finally:
        os.close(opened)


def _judge(opened: int, name: str, wall: int) -> Dead | None:
    found = os.fstat(opened)
    if found.st_uid != os.geteuid():
        return None
    dead = Dead(name=name, size=found.st_blocks * 512, wall=found.st_mtime_ns)
    try:
        look = glance(opened)
    except BlackBoxError:
        # Damaged, of another format, or never begun; a young one may just be about to begin.
        ours = os.pread(opened, len(MAGIC), 0) in (MAGIC, bytes(len(MAGIC)), b"")
        return dead if ours and wall - dead.wall > OLDEST and not held(opened) else None
    if held(opened):
        return None
    halves = tuple(map(_whose, look.facts.origins))
    return msgspec.structs.replace(dead, wall=look.wall, halves=halves)


def _whose(origin: Origin) -> str:
    """Engines have new ids at each start, so their address says better who is who."""
    with contextlib.suppress(WireError):
        started = unpack(unpack_record(origin.started).payload)
        if isinstance(started, ProcessStarted) and started.port:
            address = f"{started.host}:{started.port}"
            return f"{started.kv_role} {address} {started.dp_rank} {origin.rank}"
    return f"{origin.engine} {origin.rank}"


def _remove(directory: int, name: str) -> None:
    """Unlink the box, unless somebody holds it after all, or was faster."""
    with contextlib.suppress(OSError, BlackBoxError):
        opened = open_box(name, directory)
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(name, dir_fd=directory)
        finally:
            os.close(opened)
