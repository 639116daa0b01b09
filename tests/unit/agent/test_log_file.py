"""A file that must not grow for ever."""

import os
from pathlib import Path

from kvtrace.agent.log_file import keep_short


def test_a_file_that_grew_too_long_begins_anew_for_who_appends(tmp_path: Path) -> None:
    opened = os.open(tmp_path / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(opened, b"x" * 100)
    keep_short(opened, most=100)
    assert (tmp_path / "log").stat().st_size == 100
    keep_short(opened, most=99)
    os.write(opened, b"new")
    assert (tmp_path / "log").read_bytes() == b"new"
    os.close(opened)


def test_what_is_no_file_or_is_closed_is_left_alone() -> None:
    reading, writing = os.pipe()
    keep_short(writing, most=0)
    os.close(writing)
    keep_short(writing, most=0)
    os.close(reading)
