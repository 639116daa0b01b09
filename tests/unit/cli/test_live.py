"""`kvtrace live`, in this process."""

import json
from pathlib import Path

import pytest

from kvtrace.cli import run
from kvtrace.report import NO_ENGINE


def test_where_there_is_nothing_yet_once_says_so(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(["live", "--once", "--plain", "--dir", str(tmp_path / "boxes")]) == 0
    out, err = capsys.readouterr()
    assert out == NO_ENGINE + "\n"
    assert f"{tmp_path / 'boxes'} does not exist" in err


def test_where_no_black_box_is_once_says_where_it_looked(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(["live", "--once", "--plain", "--dir", str(tmp_path)]) == 0
    assert f"kvtrace: {tmp_path} holds no black box" in capsys.readouterr().err


def test_the_environment_says_where_the_boxes_are(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KVTRACE_DIR", "/dev/null")
    assert run(["live", "--once"]) == 2
    assert "/dev/null is not a directory" in capsys.readouterr().err


def test_what_is_looked_at_once_can_be_kept(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = str(tmp_path / "a.kvtrace")
    arguments = ["live", "--once", "--json", "--dir", str(tmp_path), "--record", path]
    assert run(arguments) == 0
    live = json.loads(capsys.readouterr().out)
    assert run(["replay", path, "--once", "--json"]) in (0, 2)
    capsys.readouterr()
    assert live["engines"] == []
    assert run(arguments) == 2
    assert "say --force to overwrite it" in capsys.readouterr().err
