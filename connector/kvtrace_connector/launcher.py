"""Keeps an agent beside this process: launches one whenever none holds the agents' lock.

A thread of its own waits in the kernel for that lock, which is free only while no agent runs;
nothing else wakes it. It passes the lock on to the agent that it launches, so that no two are.
Whatever goes wrong here is one warning at most, and never the host's trouble.
"""

import fcntl
import logging
import os
import subprocess
import sys
import threading
import time
import uuid
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from kvtrace.black_box import run_directory
from kvtrace.destination import destinations
from kvtrace.errors import ExportError

logger = logging.getLogger("vllm.kvtrace")

LOCK = "agent.lock"
LOG = "agent.log"
REFUSED = b"refused\n"
"""What an agent that cannot work as it is configured leaves in the lock's file, before the names of
all that launched such a one since one worked."""

AGAIN = 1800.0
"""Seconds after which one that could not work is tried again: files that it needs may be mended,
and what each try costs beside an engine is little only while tries are rare."""

LONGEST = 60.0
"""Seconds between two launches where agents die at once; who lived longer is replaced at once."""

_OFF = frozenset({"0", "false", "no", "off"})

_APART = """
import os, sys
if os.fork() == 0:
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
"""Run by a process that exits: what it leaves behind descends from no engine any more, so that
an engine that ends its descendants when it ends does not end the agent."""

Launch = Callable[[Path, int, str], None]


def launch(directory: Path, lock: int, launcher: str) -> None:
    """Start an agent for the directory that holds the lock from its beginning.

    Raises OSError, subprocess.SubprocessError.
    """
    passed = ("--launched", str(lock), "--launcher", launcher)
    agent = ("-P", "-m", "kvtrace", "agent", "--dir", str(directory), *passed)
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    log = os.open(directory / LOG, flags, 0o600)
    try:
        apart = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _APART, *agent],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            pass_fds=(lock,),
            start_new_session=True,
        )
    finally:
        os.close(log)
    try:
        apart.wait(30)
    except subprocess.TimeoutExpired:
        apart.kill()
        apart.wait()


class Launcher:
    """Asked to start when this process has a black box, and to stop when that is closed."""

    def __init__(
        self,
        environ: Mapping[str, str] = os.environ,
        launch: Launch = launch,
        sleep: Callable[[float], object] = time.sleep,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._environ = environ
        self._launch = launch
        self._sleep = sleep
        self._now = now
        self._wanted = False
        self._refused = False
        self._thread: threading.Thread | None = None
        self._opened: int | None = None
        _all.add(self)

    def start(self) -> None:
        """See to it that an agent runs, if the environment says where to send; raises nothing."""
        if not wanted(self._environ):
            return
        self._wanted = True
        if self._thread is not None and self._thread.is_alive():
            return
        directory = run_directory(self._environ, os.geteuid()).absolute()
        self._thread = threading.Thread(
            target=self._keep, args=(directory,), name="kvtrace-launcher", daemon=True
        )
        try:
            self._thread.start()
        except RuntimeError as error:
            self._thread = None
            _warn(f"no thread can be started to launch it ({error})")

    def stop(self) -> None:
        """Launch no more; the agent that runs ends by itself."""
        self._wanted = False

    def _keep(self, directory: Path) -> None:
        """Launch an agent whenever the lock is free, for as long as this is wanted."""
        name, wait, began = uuid.uuid4().hex, 0.0, None
        try:
            while (lock := self._hold(directory / LOCK)) is not None:
                if began is not None and _is_refused(lock, name):
                    self._be_refused(directory)
                    wait, began = 0.0, None
                    continue
                if began is not None:
                    wait = 0.0 if self._now() - began > LONGEST else min(LONGEST, wait * 2 or 1.0)
                # Others wait too: while the lock is held here, they are held back as well.
                self._sleep(wait)
                if not self._wanted:
                    return
                began = self._now()
                self._launch(directory, lock, name)
                self._release()
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            _warn(f"it could not be launched ({error})")
        finally:
            self._release()

    def _be_refused(self, directory: Path) -> None:
        """Let others try, whose agent may work, and try again much later."""
        self._release()
        if not self._refused:
            self._refused = True
            _warn(f"its settings make no sense; {directory / LOG} says which")
        self._sleep(AGAIN)

    def _hold(self, path: Path) -> int | None:
        """The descriptor of the lock, once it is ours; None where its directory is gone."""
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            self._opened = opened = os.open(path, flags, 0o600)
        except FileNotFoundError:
            return None
        fcntl.flock(opened, fcntl.LOCK_EX)
        return opened

    def _release(self) -> None:
        """Let go of our own descriptor; the lock itself is the agent's, if there is one."""
        opened, self._opened = self._opened, None
        if opened is not None:
            with suppress(OSError):
                os.close(opened)

    def _leave_to_parent(self) -> None:
        """Hold no lock of the parent's in a forked child, where it would outlive the parent's."""
        self._release()
        self._thread = None


def wanted(environ: Mapping[str, str]) -> bool:
    """Whether an agent has somewhere to send to, and engines may launch it."""
    if environ.get("KVTRACE_AGENT", "").strip().lower() in _OFF:
        return False
    try:
        return bool(destinations(environ))
    except ExportError:
        # The agent says what is wrong, in its log.
        return True


def _is_refused(lock: int, name: str) -> bool:
    """Whether the agent that was launched under this name could not work; others' may have been."""
    said = os.pread(lock, 1 << 16, 0)
    return said.startswith(REFUSED) and name.encode() in said.split()


def _warn(why: str) -> None:
    logger.warning(
        "kvtrace sends nothing from here: its agent does not run, since %s. Transfers are not "
        "affected. Start one by hand with `kvtrace agent`, or set KVTRACE_AGENT=0.",
        why,
    )


_all: "weakref.WeakSet[Launcher]" = weakref.WeakSet()


def _leave_locks_to_parent() -> None:
    for launcher in list(_all):
        launcher._leave_to_parent()


os.register_at_fork(after_in_child=_leave_locks_to_parent)
