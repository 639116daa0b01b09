"""Runs kvtrace itself beside the engines: the screen, a recording, a snapshot."""

import ctypes
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lab.errors import LabError
from lab.launch import RUN_VARIABLE
from lab.run import Run

GRACE = 5.0
"""Seconds a kvtrace gets to end by itself."""

_SET_PARENT_DEATH_SIGNAL = 1


class Toolkit:
    """The kvtrace command, at work on one run."""

    def __init__(self, kvtrace: Path, run: Run) -> None:
        self._kvtrace = kvtrace
        self._run = run

    def screen(self) -> int:
        """Show the live screen until the person leaves it, and return its exit code."""
        screen = self._start("live", "--dir", str(self._run.boxes))
        try:
            return screen.wait()
        finally:
            _end(screen, signal.SIGTERM)

    def snapshot(self) -> dict[str, Any]:
        """Return what kvtrace sees right now.

        Raises:
            LabError: if it cannot say.
        """
        words = ("live", "--once", "--json", "--dir", str(self._run.boxes))
        process = self._start(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            said, complaint = process.communicate(timeout=60)
        except subprocess.TimeoutExpired as error:
            raise LabError("`kvtrace live --once --json` gave no answer within 60 s.") from error
        finally:
            _end(process, signal.SIGTERM)
        lines = said.decode(errors="replace").strip().splitlines()
        try:
            document = json.loads(lines[-1])
        except (IndexError, ValueError) as error:
            last = complaint.decode(errors="replace").strip().splitlines()[-1:]
            raise LabError(
                f"`kvtrace live --once --json` ended with {process.returncode} "
                f"and without a document: {' '.join(last) or 'it said nothing'}"
            ) from error
        if not isinstance(document, dict):
            raise LabError("`kvtrace live --once --json` gave something else than an object.")
        return document

    @contextmanager
    def recording(self, file: Path | None) -> Iterator[None]:
        """Record the run into a file while the block lasts; without a file, do nothing."""
        if file is None:
            yield
            return
        log = self._run.logs / "record.log"
        with log.open("wb") as out:
            process = self._start(
                *("record", str(file), "--dir", str(self._run.boxes)), stdout=out, stderr=out
            )
        try:
            yield
        finally:
            _end(process, signal.SIGINT)
        if not file.exists():
            said = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
            raise LabError(f"There is no recording: {' '.join(said) or 'kvtrace said nothing'}")

    def _start(
        self, *words: str, stdout: Any = None, stderr: Any = None
    ) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                [str(self._kvtrace), *words],
                env={**os.environ, RUN_VARIABLE: str(self._run.directory)},
                stdout=stdout,
                stderr=stderr,
                preexec_fn=_end_with_parent,
            )
        except OSError as error:
            raise LabError(f"{self._kvtrace} cannot be run: {error.strerror}.") from error


def _end(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    if process.poll() is None:
        process.send_signal(number)
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def _end_with_parent() -> None:
    """Let the kernel end it when the demo is killed, and let it hear signals we may ignore."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)
