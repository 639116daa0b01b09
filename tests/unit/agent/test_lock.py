"""One agent for each directory."""

import os
from pathlib import Path

import pytest

from kvtrace.agent.lock import NAME, REFUSED, Lock
from kvtrace.errors import ExportError


def test_a_second_one_is_told_so(tmp_path: Path) -> None:
    first = Lock(tmp_path)
    with pytest.raises(ExportError, match="another agent"):
        Lock(tmp_path)
    first.close()
    Lock(tmp_path).close()


def test_who_launches_an_agent_passes_the_lock_on(tmp_path: Path) -> None:
    held = Lock(tmp_path)
    passed = os.dup(held._opened)
    held.close()
    with pytest.raises(ExportError):
        Lock(tmp_path)
    taken = Lock(tmp_path, passed)
    assert not os.get_inheritable(passed)
    with pytest.raises(ExportError):
        Lock(tmp_path)
    taken.close()
    Lock(tmp_path).close()


def test_a_descriptor_that_holds_nothing_is_no_lock(tmp_path: Path) -> None:
    held = Lock(tmp_path)
    other = os.open(tmp_path / NAME, os.O_RDWR)
    with pytest.raises(ExportError):
        Lock(tmp_path, other)
    held.close()


def launched(directory: Path, launcher: str) -> Lock:
    opened = os.open(directory / NAME, os.O_RDWR | os.O_CREAT, 0o600)
    return Lock(directory, opened, launcher)


def test_those_that_cannot_work_leave_word_for_who_launched_them_until_one_works(
    tmp_path: Path,
) -> None:
    for launcher in ("a", "b", ""):
        lock = launched(tmp_path, launcher)
        lock.refuse()
        lock.close()
    assert (tmp_path / NAME).read_bytes() == REFUSED + b"a\nb\n"
    works = Lock(tmp_path)
    works.work()
    works.close()
    assert (tmp_path / NAME).read_bytes() == b""


def test_one_started_by_hand_that_cannot_work_keeps_no_launcher_from_trying(tmp_path: Path) -> None:
    lock = Lock(tmp_path)
    lock.refuse()
    lock.close()
    assert (tmp_path / NAME).read_bytes() == b""


def test_a_lock_whose_file_is_gone_or_another_is_no_longer_ours(tmp_path: Path) -> None:
    lock = Lock(tmp_path)
    assert lock.ours
    (tmp_path / NAME).unlink()
    assert not lock.ours
    (tmp_path / NAME).touch()
    assert not lock.ours
    lock.close()


def test_a_directory_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="cannot be opened"):
        Lock(tmp_path / "missing")
    (tmp_path / NAME).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ExportError, match="cannot be opened"):
        Lock(tmp_path)


@pytest.mark.parametrize("number", [-3, 1 << 80, 1_000_000])
def test_what_is_no_open_file_is_no_lock(tmp_path: Path, number: int) -> None:
    with pytest.raises(ExportError, match="leave --launched out"):
        Lock(tmp_path, number)
