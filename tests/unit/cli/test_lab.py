"""`kvtrace lab`, which lives in a checkout."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kvtrace.cli import run
from kvtrace.cli.lab import CHECKOUT, environment, waited
from kvtrace.errors import KvtraceError


def test_without_a_checkout_it_says_where_to_find_one(tmp_path: Path) -> None:
    with pytest.raises(KvtraceError, match="run it in a checkout of kvtrace"):
        environment(tmp_path)


def test_it_finds_its_modules_before_others() -> None:
    found = environment(CHECKOUT, {"PYTHONPATH": "/there"})
    assert found["PYTHONPATH"] == f"{CHECKOUT}:/there"


def test_the_scenarios_are_listed(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["lab", "list"]) == 0
    assert "registration-never-came" in capfd.readouterr().out


def test_a_wrong_name_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["lab", "run", "nothing"]) == 2
    assert "No scenario is called nothing" in capfd.readouterr().err


def test_it_tells_how_it_is_used(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["lab", "run", "--help"]) == 0
    assert "--record DIR" in capfd.readouterr().out


def test_a_reader_that_goes_away_ends_the_list_quietly() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    lab = [sys.executable, "-m", "lab.main", "list"]
    done = subprocess.run(
        lab, env=environment(CHECKOUT), stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_who_is_told_to_end_tells_the_lab() -> None:
    waits = "import os, signal, time; os.kill(os.getppid(), signal.SIGTERM); time.sleep(60)"
    lab = subprocess.Popen([sys.executable, "-c", waits])
    assert waited(lab) == 128 + signal.SIGTERM
    assert lab.returncode == -signal.SIGTERM
