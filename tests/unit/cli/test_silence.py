"""Why nothing is heard from a directory."""

from pathlib import Path

from kvtrace.cli.silence import why_silent
from tests.unit.boxes import queued, small_box

HOUR = 3_600_000_000_000


def test_a_directory_without_black_boxes_says_so(tmp_path: Path) -> None:
    why = why_silent(tmp_path, HOUR)
    assert why.startswith(f"{tmp_path} holds no black box: ")
    assert f"KVTRACE_DIR={tmp_path} in its environment" in why


def test_one_that_is_not_there_says_so(tmp_path: Path) -> None:
    assert "does not exist" in why_silent(tmp_path / "none", HOUR)


def test_one_in_which_an_engine_speaks_is_not_silent(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(queued(), origin)
    assert why_silent(tmp_path, 0) == ""
    box.close("done")


def test_boxes_of_long_ago_are_told_and_how_to_read_them(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(queued(), origin)
    box.close("done")
    assert "holds 1 black box of engines that died" in why_silent(tmp_path, 0)
    assert "--dead 24h" in why_silent(tmp_path, 0)


def test_what_is_no_black_box_says_why(tmp_path: Path) -> None:
    box, _ = small_box(tmp_path)
    box.close("done")
    box.path.write_bytes(b"not one")
    assert box.path.name in why_silent(tmp_path, HOUR)
