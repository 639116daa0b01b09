"""`kvtrace doctor`, in this process."""

import json
import os
import sys
from pathlib import Path

import pytest

from kvtrace.checkup import Finding
from kvtrace.cli import run
from kvtrace.cli.doctor import MEMLOCK, Fit, around, ask, of_fit, report

DEMO = Path(__file__).parents[3] / "examples" / "recordings" / "demo.kvtrace.gz"


def test_a_recording_is_looked_at(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", str(DEMO)]) == 1
    out = capsys.readouterr().out
    assert out.startswith("Looked at P (P, vLLM 0.32.0+cpu), D (D, vLLM 0.32.0+cpu).")
    assert "  DO Leave `engine_id` of D out" in out


def test_two_hosts_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", str(DEMO), str(DEMO), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in found["engines"]] == ["P", "D"]
    assert {one["check"] for one in found["findings"]} == {"identity", "patience"}
    assert found["vllm"] is None


def test_where_no_engine_tells_of_itself_it_cannot_look(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    tmp_path.chmod(0o700)
    assert run(["doctor", str(tmp_path)]) == 2
    assert f"{tmp_path} holds no black box" in capsys.readouterr().err
    missing = tmp_path / "none"
    assert run(["doctor", str(missing)]) == 2
    assert f"{missing} cannot be read (No such file or directory)" in capsys.readouterr().err


def test_an_environment_that_is_ready_has_nothing_wrong() -> None:
    ready = {"KVTRACE": "1", "VLLM_NIXL_SIDE_CHANNEL_HOST": "10.0.0.1"}
    assert list(around(ready, -1)) == []
    assert list(around(ready, MEMLOCK)) == []
    assert [one.check for one in around({}, 1 << 20)] == ["tracing", "side channel", "memory"]


def test_a_release_that_does_not_fit_is_told() -> None:
    (wrong,) = of_fit(Fit(release="9.9", reasons=("x is missing",)))
    assert wrong.wrong
    (less,) = of_fit(Fit(release="0.24.0", fits=True, unseen=("receive.failed",)))
    assert "less is told of receive.failed" in less.sentence
    (unasked,) = of_fit(Fit(error="no torch"))
    assert "cannot be imported here: no torch" in unasked.sentence
    assert list(of_fit(Fit())) == []


def test_where_all_is_well_it_says_so() -> None:
    assert list(report([], [], Fit(release="0.32.0", fits=True))) == [
        "Looked at no engine: none has told of itself here.",
        "vLLM 0.32.0 here: traced.",
        "Nothing is wrong that kvtrace knows of.",
    ]


def test_names_from_outside_reach_no_terminal_as_they_came() -> None:
    odd = Finding(check="x", wrong=True, sentence="It is \x1b[2J.", remedy="Call \x07 otherwise.")
    said = list(report([], [odd], Fit(release="0\x1b]0;t\x07", fits=True)))
    assert all(line.isprintable() for line in said)


def test_what_is_asked_does_not_outlive_who_asks(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    asks = (
        "import os, pathlib, signal, sys, time; "
        "pathlib.Path(sys.argv[1]).write_text(str(os.getpid())); "
        "os.kill(os.getppid(), signal.SIGTERM); time.sleep(60)"
    )
    with pytest.raises(KeyboardInterrupt):
        ask([sys.executable, "-c", asks, str(told)])
    with pytest.raises(ProcessLookupError):
        os.kill(int(told.read_text()), 0)


def test_hints_alone_are_nothing_wrong(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hint = Finding(check="x", wrong=False, sentence="It may be slow.", remedy="Look at it.")
    monkeypatch.setattr("kvtrace.cli.doctor.checkup", lambda patients: [hint])
    assert run(["doctor", str(DEMO)]) == 0
    assert "~ x: It may be slow." in capsys.readouterr().out
