"""`kvtrace explain`, in this process."""

import re
from pathlib import Path

import pytest

from kvtrace.causes import ABOUT, Cause, Kind
from kvtrace.cli import run
from kvtrace.cli.explain import named
from kvtrace.pages import page


def test_without_a_cause_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(Cause) + 2 * len(Kind) - 1
    shown = [line.split()[0] for line in lines if line.startswith("  ")]
    assert shown == sorted(Cause, key=lambda one: (list(Kind).index(ABOUT[one].kind), one))
    assert "stall: waits, and will not go on by itself" in lines
    assert any(line.endswith("  P’s write landed, and D was never notified.") for line in lines)


@pytest.mark.parametrize("cause", Cause)
def test_a_page_is_printed_whole_and_plain(
    capsys: pytest.CaptureFixture[str], cause: Cause
) -> None:
    assert run(["explain", cause]) == 0
    out = capsys.readouterr().out
    signs = r"[#*]|(?m:^- )"
    assert re.sub("[•“”]", "", out).split() == re.sub(signs, "", page(cause)).split()
    assert "\x1b" not in out
    assert "#" not in out
    assert all(len(line) <= 80 for line in out.splitlines() if "http" not in line)


@pytest.mark.parametrize("text", ["prefill-failed", "Prefill Failed", "FM05", " fm05 "])
def test_a_cause_may_be_named_in_several_ways(text: str) -> None:
    assert named(text) is Cause.PREFILL_FAILED


def test_who_names_none_is_told_what_is_near(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "lease"]) == 2
    assert "did you mean lease-ran-out" in capsys.readouterr().err
    assert run(["explain", "x"]) == 2
    assert "`kvtrace explain` lists all" in capsys.readouterr().err


def test_a_file_is_for_diagnose(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "now.kvtrace"
    path.touch()
    assert run(["explain", str(path)]) == 2
    assert f"`kvtrace diagnose {path}`" in capsys.readouterr().err
