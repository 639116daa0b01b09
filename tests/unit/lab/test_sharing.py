from pathlib import Path

import pytest
from lab import sharing

STAT = "({name}) R 1 1 1 0 -1 0 0 0 0 0 {user} {system} 0 0 20 0 9 0 100 0"


def told(proc: Path, pid: int, threads: dict[int, int], title: str = "VLLM::Worker_TP0") -> None:
    """What /proc says of a process whose threads took so many ticks."""
    for thread, ticks in threads.items():
        task = proc / str(pid) / "task" / str(thread)
        task.mkdir(parents=True)
        (task / "stat").write_text(
            f"{thread} " + STAT.format(name="a) b", user=ticks, system=ticks)
        )
    (proc / str(pid) / "cmdline").write_bytes(title.encode())


@pytest.fixture
def ticks() -> int:
    """Half of the ticks that are enough."""
    return int(sharing.ENOUGH * sharing._TICKS / 2)


def test_a_thread_beside_the_main_one_that_took_much_time_spins(tmp_path: Path, ticks: int) -> None:
    told(tmp_path, 7, {7: 99 * ticks, 8: ticks + 1, 9: 1})
    assert sharing.spinning(7, tmp_path) == [8]


def test_only_workers_are_looked_at(tmp_path: Path, ticks: int) -> None:
    told(tmp_path, 7, {7: 1, 8: 99 * ticks}, title="VLLM::EngineCore")
    assert sharing.spinning(7, tmp_path) == []


def test_a_worker_that_is_gone_has_no_threads(tmp_path: Path) -> None:
    assert sharing.spinning(7, tmp_path) == []
