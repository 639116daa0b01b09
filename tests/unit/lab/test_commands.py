"""The lab's command line where no engines are installed, and while it is still being imported."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from signal import SIGHUP, SIGINT, SIGTERM

import msgspec
import pytest
from lab.commands import NEEDED, main
from lab.result import Result

from kvtrace.cli.lab import CHECKOUT, environment


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A Python in which nothing is installed that only engines need."""
    for name in NEEDED:
        monkeypatch.setitem(sys.modules, name, None)
    before = {one: signal.getsignal(one) for one in (SIGINT, SIGTERM, SIGHUP)}
    yield
    for one, heard in before.items():
        signal.signal(one, heard)


def test_scenarios_are_told_without_engines(bare: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    assert "registration-never-came" in capsys.readouterr().out


def test_no_module_of_the_list_needs_an_engine() -> None:
    blocked = f"import sys; sys.modules.update(dict.fromkeys({NEEDED!r}))"
    script = f"{blocked}; from lab.commands import main; sys.exit(main(['list', '--json']))"
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment(CHECKOUT), capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_playing_without_engines_says_what_to_do(
    bare: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept"
    assert main(["run", "prefill-dropped", "--record", str(kept)]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert "vllm, nixl, zmq, aiohttp, psutil is not installed" in said
    assert "make setup-engines" in said
    assert not kept.exists()


def test_healthy_load_without_engines_says_so_too(
    bare: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["healthy"]) == 2
    assert "make setup-engines" in capsys.readouterr().err


def test_the_runs_of_several_days_make_one_page(
    bare: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = Result(name="healthy-load", cause=None, named={}, seconds=1, final=(None,), passed=True)
    for day in ("monday", "tuesday"):
        (tmp_path / day).write_bytes(msgspec.json.encode([one]))
    assert main(["page", str(tmp_path / "monday"), str(tmp_path / "tuesday")]) == 0
    assert "| healthy-load |  | nothing | nothing (2) | 2 |" in capsys.readouterr().out


def test_what_is_no_result_is_refused(
    bare: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x").write_text("{}")
    assert main(["page", str(tmp_path / "x")]) == 2
    assert "is no result of `run --json`" in capsys.readouterr().err


def test_ctrl_c_while_it_is_imported_is_no_traceback(tmp_path: Path) -> None:
    # The first module of ours that is imported says so, and takes its time.
    slow = tmp_path / "kvtrace" / "__init__.py"
    slow.parent.mkdir()
    slow.write_text("import time; print('here', flush=True); time.sleep(30)")
    lab = subprocess.Popen(
        [sys.executable, "-m", "lab.main", "list"],
        cwd=tmp_path,
        env=environment(CHECKOUT),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert lab.stdout is not None
    lab.stdout.readline()
    lab.send_signal(SIGINT)
    _, said = lab.communicate(timeout=20)
    assert (lab.returncode, said) == (-SIGINT, b"")
