"""A process that stands still is seen from its black box, and so is that it runs again."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from kvtrace.moments import Watched
from kvtrace.sources.run_directory import read_once, watch
from kvtrace.wire import pack
from tests.integration import told_engine
from tests.unit.samples import prefill_admitted


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that writes a black box."""
    command = [sys.executable, "-m", told_engine.__name__, str(tmp_path), "P", "P0"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdout.readline()
    process.stdin.write(pack(prefill_admitted()).hex().encode() + b"\n")
    process.stdin.flush()
    process.stdout.readline()
    yield process
    process.kill()
    process.communicate()


def test_it_is_told_while_it_is_watched(tmp_path: Path, engine: subprocess.Popen[bytes]) -> None:
    states = []
    for moment in islice(watch(tmp_path), 400):
        if not states and moment.news is not None:
            os.kill(engine.pid, signal.SIGSTOP)
        if isinstance(moment.news, Watched) and (states or moment.news.state == "frozen"):
            states.append(moment.news.state)
            os.kill(engine.pid, signal.SIGCONT)
        if states[-1:] == ["running"]:
            break
    assert (states[0], states[-1]) == ("frozen", "running")


def test_it_is_told_at_one_look(tmp_path: Path, engine: subprocess.Popen[bytes]) -> None:
    os.kill(engine.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, engine.pid, os.WSTOPPED)
    (told,) = (one.news for one in read_once(tmp_path) if isinstance(one.news, Watched))
    assert told.state == "frozen"


def test_of_one_that_runs_it_is_told_that_it_was_seen(
    tmp_path: Path, engine: subprocess.Popen[bytes]
) -> None:
    assert engine.poll() is None
    (told,) = (one.news for one in read_once(tmp_path) if isinstance(one.news, Watched))
    assert told.state == "running"
