"""Whether processes run."""

from pathlib import Path

from kvtrace.black_box import Header, Layout
from kvtrace.moments import Watched
from kvtrace.sources.pulse import EVERY, Pulse, State, Stopped


def header(process: str = "a" * 32, pid: int = 7) -> Header:
    return Header(process=process, clock="boot", pid=pid, at=0, wall=0, layout=Layout())


def test_it_is_told_at_once_then_every_five_seconds() -> None:
    pulse = Pulse(lambda _: "running")
    assert pulse.feel([header()], 0) == [Watched(process="a" * 32, state="running")]
    assert pulse.feel([header()], EVERY - 1) == []
    assert len(pulse.feel([header()], EVERY)) == 1


def test_a_change_is_told_at_once() -> None:
    states: list[State] = ["running", "frozen", "frozen", "running"]
    pulse = Pulse(lambda _: states.pop(0))
    told = [pulse.feel([header()], now) for now in range(4)]
    assert [[it.state for it in news] for news in told] == [
        ["running"],
        ["frozen"],
        [],
        ["running"],
    ]


def test_a_process_that_is_gone_is_forgotten() -> None:
    pulse = Pulse(lambda _: "running")
    pulse.feel([header()], 0)
    assert pulse.feel([], 1) == []
    assert len(pulse.feel([header()], 2)) == 1


def proc(tmp_path: Path, letter: str, box: str = "a" * 32) -> Path:
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "stat").write_text(f"7 (a) name) {letter} 1 7 7")
    (tmp_path / "7" / "maps").write_text(f"7f00-7f01 rw-s 0 0:1 9 /dev/shm/kvtrace-0/{box}.kvbox\n")
    return tmp_path


def test_a_stopped_process_is_frozen(tmp_path: Path) -> None:
    assert Stopped(proc(tmp_path, "T")).look(header()) == "frozen"


def test_a_waiting_process_runs(tmp_path: Path) -> None:
    assert Stopped(proc(tmp_path, "S")).look(header()) == "running"


def test_another_process_of_that_number_is_not_looked_at(tmp_path: Path) -> None:
    assert Stopped(proc(tmp_path, "T", box="b" * 32)).look(header()) == "running"


def test_a_process_that_cannot_be_seen_runs_as_far_as_we_know(tmp_path: Path) -> None:
    assert Stopped(tmp_path).look(header()) == "running"
    stopped = Stopped(proc(tmp_path, "T"))
    stopped.look(header())
    (tmp_path / "7" / "stat").unlink()
    assert stopped.look(header()) == "running"
