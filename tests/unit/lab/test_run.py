import os
from pathlib import Path

from lab.run import TIME_TO_LOCK, fresh, remove_leftovers


def old(directory: Path) -> Path:
    directory.mkdir()
    then = directory.stat().st_mtime - 2 * TIME_TO_LOCK
    os.utime(directory, (then, then))
    return directory


def test_nothing_of_a_run_is_left(tmp_path: Path) -> None:
    with fresh(tmp_path) as run:
        assert run.boxes.stat().st_mode & 0o777 == 0o700
        assert (run.model / "config.json").exists()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_run_left_goes_at_the_next_start(tmp_path: Path) -> None:
    (old(tmp_path / "kvtrace-demo-dead") / "owner.lock").touch()
    old(tmp_path / "kvtrace-demo-never-locked")
    remove_leftovers(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_somebody_owns_stays(tmp_path: Path) -> None:
    with fresh(tmp_path) as run:
        remove_leftovers(tmp_path)
        assert run.boxes.exists()


def test_what_is_not_a_run_stays(tmp_path: Path) -> None:
    old(tmp_path / "somebody-elses")
    (tmp_path / "kvtrace-demo-link").symlink_to(tmp_path / "somebody-elses")
    remove_leftovers(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
