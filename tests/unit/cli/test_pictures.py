"""Pictures of what is known, from the shell."""

from pathlib import Path

import pytest

from kvtrace.cli import run

KEPT = Path(__file__).parents[2] / "recordings" / "version-1.kvtrace"


def test_once_with_svg_makes_a_picture_and_prints_as_ever(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run(["replay", str(KEPT), "--once"])
    plain = capsys.readouterr().out
    code = run(["replay", str(KEPT), "--once", "--svg", str(tmp_path / "now.svg")])
    drawn = (tmp_path / "now.svg").read_text(encoding="utf-8")
    assert (code, capsys.readouterr().out) == (0, plain)
    assert drawn.startswith("<svg")
    assert "kvtrace" in drawn
    assert "paused" in drawn


def test_a_picture_of_live_has_no_bar(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code = run(["live", "--dir", str(tmp_path), "--once", "--svg", str(tmp_path / "now.svg")])
    drawn = (tmp_path / "now.svg").read_text(encoding="utf-8")
    assert code == 0
    assert "live" in drawn
    assert "marks" not in drawn


def test_a_file_that_exists_stays(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "now.svg"
    path.write_text("mine")
    assert run(["replay", str(KEPT), "--once", "--svg", str(path)]) == 2
    assert path.read_text() == "mine"
    assert capsys.readouterr().err == (
        f"kvtrace: {path} exists already: name another file, or remove it\n"
    )


def test_where_nothing_can_be_written_it_says_so(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "nowhere" / "now.svg"
    assert run(["replay", str(KEPT), "--once", "--svg", str(path)]) == 2
    assert "cannot be written (No such file or directory)" in capsys.readouterr().err


def test_svg_needs_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", str(KEPT), "--svg", "now.svg"]) == 2
    assert "--svg needs --once" in capsys.readouterr().err


def test_a_name_that_promises_another_form_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(["replay", str(KEPT), "--once", "--svg", str(tmp_path / "now.PNG")]) == 2
    assert f"the picture is SVG: call it {tmp_path / 'now.svg'}" in capsys.readouterr().err
    assert run(["replay", str(KEPT), "--once", "--svg", str(tmp_path / "now")]) == 0
