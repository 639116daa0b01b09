"""Elects one agent for each directory, by a lock that the kernel frees whatever ends its holder.

A process of the engine that takes the lock passes it on to the agent that it launches, with the
descriptor: so there is no moment at which two could think that it is theirs.
"""

import fcntl
import os
from pathlib import Path

from kvtrace.errors import ExportError

NAME = "agent.lock"
REFUSED = b"refused\n"
"""What an agent that cannot work as it is configured leaves in the file, and then who launched it
and other such ones since one worked: they need not try again soon, and anybody else may."""

_NAMES = 256
"""Launchers that are remembered."""


class Lock:
    """Held from the beginning until `close`."""

    def __init__(self, directory: Path, passed: int | None = None, launcher: str = "") -> None:
        """Take the lock, or take over the descriptor that holds it, from the launcher named so.

        Raises ExportError where another agent has it, the directory cannot be written, or the
        descriptor is none.
        """
        self.path = directory / NAME
        self._launched = passed is not None
        self._launcher = launcher
        self._opened = _open(self.path) if passed is None else _taken_over(passed)
        try:
            # Where it was passed on, this asks for what is held already.
            fcntl.flock(self._opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.set_inheritable(self._opened, False)
        except OSError as error:
            self.close()
            raise ExportError(
                f"another agent sends what the engines of {directory} tell: nothing to do"
            ) from error

    def work(self) -> None:
        """Let everybody know that an agent works here, and may be launched when it is gone."""
        self._say(b"")

    def refuse(self) -> None:
        """Let who launched this agent know that it cannot work; who did so by hand is told."""
        if self._launched:
            names = [*self._names(), self._launcher.encode()]
            self._say(REFUSED + b"".join(b"%s\n" % name for name in names[-_NAMES:] if name))

    @property
    def ours(self) -> bool:
        """Whether the file is still where others look for it."""
        try:
            return os.path.samestat(os.fstat(self._opened), os.stat(self.path))
        except OSError:
            return False

    def close(self) -> None:
        """Let another agent begin."""
        os.close(self._opened)

    def _names(self) -> list[bytes]:
        """Of those that were told so before."""
        try:
            said = os.pread(self._opened, 1 << 16, 0)
        except OSError:
            return []
        return said.split()[1:] if said.startswith(REFUSED) else []

    def _say(self, words: bytes) -> None:
        try:
            os.ftruncate(self._opened, 0)
            os.pwrite(self._opened, words, 0)
        except OSError:
            # Only what it says is lost; whose it is does not depend on it.
            return


def _taken_over(passed: int) -> int:
    try:
        os.fstat(passed)
    except (OSError, OverflowError) as error:
        raise ExportError(
            f"--launched {passed} is no open file: only an engine that launches an agent passes "
            "its lock on; leave --launched out"
        ) from error
    return passed


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise ExportError(
            f"{path} cannot be opened ({error.strerror}): an agent needs to write beside the "
            "black boxes; run it as the user who runs the engines"
        ) from error
