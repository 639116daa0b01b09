"""The places of one run of the lab; they vanish with it, or at the next start if it was killed."""

import fcntl
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from lab import model, processes

PREFIX = "kvtrace-demo-"
LOCK = "owner.lock"

TIME_TO_LOCK = 60.0
"""Seconds a new run may have no lock yet."""


class Run(msgspec.Struct, frozen=True):
    """Where one run keeps its things."""

    directory: Path

    @property
    def boxes(self) -> Path:
        """Black boxes; in memory where the system has a place for that."""
        return self.directory / "boxes"

    @property
    def logs(self) -> Path:
        """One log for each engine."""
        return self.directory / "logs"

    @property
    def scratch(self) -> Path:
        """What the engines take for /tmp."""
        return self.directory / "tmp"

    @property
    def model(self) -> Path:
        """The model's settings."""
        return self.directory / "model"

    @property
    def cache(self) -> Path:
        """What vLLM may keep from one run to the next, beside the Python it runs on."""
        return Path(sys.prefix) / "lab-cache"

    def faults(self, engine_id: str) -> Path:
        """What an engine's NIXL agent is told to do wrong."""
        return self.directory / f"{engine_id}.faults.json"

    def keep(self, log: Path) -> Path:
        """Copy a log to where it outlives the run, and return where."""
        kept = self.cache / "logs"
        kept.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(log, kept / log.name))


@contextmanager
def fresh(home: Path | None = None) -> Iterator[Run]:
    """Open a run of one's own; at the end nothing of it is left.

    What killed runs have left is removed first. A run is somebody's as long as its lock is held.
    """
    place = home or _home()
    remove_leftovers(place)
    run = Run(Path(tempfile.mkdtemp(prefix=PREFIX, dir=place)))
    with (run.directory / LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        try:
            for part in (run.boxes, run.logs, run.scratch):
                part.mkdir(mode=0o700)
            model.make(run.model)
            yield run
        finally:
            _remove(run)


def remove_leftovers(home: Path) -> None:
    """Remove what earlier runs of this user have left that nobody owns any more."""
    for directory in home.glob(PREFIX + "*"):
        if _is_ours(directory) and not _is_owned(directory):
            _remove(Run(directory))


def _home() -> Path:
    shared = processes.SHARED_MEMORY
    return shared if os.access(shared, os.W_OK | os.X_OK) else Path(tempfile.gettempdir())


def _remove(run: Run) -> None:
    processes.end(lambda: processes.of_run(run.directory), 0)
    shutil.rmtree(run.directory, ignore_errors=True)


def _is_ours(directory: Path) -> bool:
    status = directory.lstat()
    return status.st_uid == os.getuid() and directory.is_dir() and not directory.is_symlink()


def _is_owned(directory: Path) -> bool:
    try:
        with (directory / LOCK).open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return time.time() - directory.stat().st_mtime < TIME_TO_LOCK
    except OSError:
        return True
    return False
