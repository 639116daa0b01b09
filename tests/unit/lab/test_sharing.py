import os
import subprocess
import sys
from pathlib import Path

import pytest
from lab import sharing

STAT = "({name}) R 1 1 1 0 -1 0 0 0 0 0 {user} {system} 0 0 20 0 9 0 100 0"


def told(
    proc: Path,
    pid: int,
    threads: dict[int, int],
    title: str = "VLLM::Worker_TP0",
    pauses: int = 1,
) -> None:
    """What /proc says of a process whose threads took so many ticks, and paused so often."""
    for thread, ticks in threads.items():
        task = proc / str(pid) / "task" / str(thread)
        task.mkdir(parents=True)
        (task / "stat").write_text(
            f"{thread} " + STAT.format(name="a) b", user=ticks, system=ticks)
        )
        (task / "status").write_text(f"Name:\tx\nvoluntary_ctxt_switches:\t{pauses}\nother:\t9\n")
    (proc / str(pid) / "cmdline").write_bytes(title.encode())


@pytest.fixture
def ticks() -> int:
    """Half of the ticks that are enough."""
    return int(sharing.ENOUGH * sharing._TICKS / 2)


def test_a_thread_beside_the_main_one_that_took_much_time_spins(tmp_path: Path, ticks: int) -> None:
    told(tmp_path, 7, {7: 99 * ticks, 8: ticks + 1, 9: 1})
    assert sharing.spinning(7, tmp_path) == [8]


def test_a_writer_that_had_much_to_do_does_not_spin(tmp_path: Path, ticks: int) -> None:
    told(tmp_path, 7, {7: 1, 8: 99 * ticks}, pauses=30_000)
    assert sharing.spinning(7, tmp_path) == []


def test_who_spins_comes_after_the_others_and_is_not_shut_out() -> None:
    spins = "while True: pass"
    with subprocess.Popen([sys.executable, "-c", spins]) as process:
        try:
            sharing.stand_behind(process.pid)
            assert os.getpriority(os.PRIO_PROCESS, process.pid) == sharing.BEHIND
            assert os.sched_getscheduler(process.pid) == os.SCHED_OTHER
        finally:
            process.kill()


def test_only_workers_are_looked_at(tmp_path: Path, ticks: int) -> None:
    told(tmp_path, 7, {7: 1, 8: 99 * ticks}, title="VLLM::EngineCore")
    assert sharing.spinning(7, tmp_path) == []


def test_a_worker_that_is_gone_has_no_threads(tmp_path: Path) -> None:
    assert sharing.spinning(7, tmp_path) == []
