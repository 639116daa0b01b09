"""`kvtrace replay`, in this process."""

import json
from pathlib import Path

import pytest

from kvtrace.cli import run

KEPT = Path(__file__).parents[2] / "recordings" / "version-1.kvtrace"


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["replay", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_every_second_of_it_is_a_document(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(capsys, str(KEPT), "--json")
    documents = [json.loads(line) for line in out.splitlines()]
    assert (code, err) == (0, "")
    times = [one["at"] for one in documents]
    assert times == sorted(times)
    assert len(documents) > 3


def test_once_is_the_last_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    _, all_of_it, _ = said(capsys, str(KEPT), "--json")
    _, once, _ = said(capsys, str(KEPT), "--json", "--once")
    assert json.loads(once) == json.loads(all_of_it.splitlines()[-1])


def test_its_time_of_day_is_when_it_was_recorded(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = said(capsys, str(KEPT), "--json", "--once")
    header = json.loads(KEPT.read_text(encoding="utf-8").splitlines()[0])
    found = json.loads(out)
    assert found["wall"] - header["started_at"] == found["at"] - header["monotonic"]


def test_what_was_lost_then_is_lost_now(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = said(capsys, str(KEPT), "--json", "--once")
    lost = json.loads(out)["losses"]
    assert (lost["overwritten"], lost["unreadable"], lost["unknown"]) == (3, 1, 2)


def test_damage_is_said_once_on_stderr(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "a.kvtrace"
    path.write_bytes(KEPT.read_bytes() + b"\x00\n" * 3)
    code, _, err = said(capsys, str(path), "--plain")
    assert code == 0
    assert err == f"kvtrace: {path} has damaged lines; shown is what can be read\n"


def test_at_a_place_is_what_was_known_there(capsys: pytest.CaptureFixture[str]) -> None:
    _, all_of_it, _ = said(capsys, str(KEPT), "--json")
    documents = [json.loads(line) for line in all_of_it.splitlines()]
    header = json.loads(KEPT.read_text(encoding="utf-8").splitlines()[0])
    middle = documents[len(documents) // 2]
    after = (middle["at"] - header["monotonic"]) / 1e6
    _, once, _ = said(capsys, str(KEPT), "--json", "--once", "--at", f"{after}ms")
    found = json.loads(once)
    assert (found["events"], found["totals"]) == (middle["events"], middle["totals"])


def test_lines_begin_at_the_place_that_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    _, all_of_it, _ = said(capsys, str(KEPT), "--json")
    _, some, _ = said(capsys, str(KEPT), "--json", "--at", "50%")
    assert some.splitlines()[-1] == all_of_it.splitlines()[-1]
    assert 0 < len(some.splitlines()) < len(all_of_it.splitlines())


@pytest.mark.parametrize(
    ("place", "because"),
    [
        ("9h", "is only"),
        ("101%", "0% to 100%"),
        ("no-such-id", "no transfer has"),
        ("+5s", "no place"),
    ],
)
def test_a_place_that_is_not_there_is_refused(
    capsys: pytest.CaptureFixture[str], place: str, because: str
) -> None:
    code, out, err = said(capsys, str(KEPT), "--once", "--at", place)
    assert (code, out) == (2, "")
    assert because in err


def test_a_directory_is_no_recording(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, err = said(capsys, str(tmp_path))
    assert (code, out) == (2, "")
    assert f"{tmp_path} is a directory, and no recording" in err
