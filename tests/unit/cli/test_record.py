"""`kvtrace record`, in this process."""

from pathlib import Path

import pytest

from kvtrace.cli import run
from kvtrace.cli.record import Progress
from kvtrace.recording import Header
from kvtrace.report import NO_ENGINE
from kvtrace.sinks.recording import RecordingWriter
from tests.unit.moments import START, moment, record

HEADER = Header(kvtrace=1, monotonic=START, clock="boot")


@pytest.fixture
def writer(tmp_path: Path) -> RecordingWriter:
    return RecordingWriter(tmp_path / "a.kvtrace", HEADER)


def test_a_closing_line_says_how_much_was_recorded(
    writer: RecordingWriter, capsys: pytest.CaptureFixture[str]
) -> None:
    progress = Progress(writer, START)
    for one in (moment(0.5, record()), moment(2)):
        writer.write(one)
        progress.show(one)
    writer.close()
    progress.end()
    err = capsys.readouterr().err
    assert err == f"{writer.path}: 1 event recorded in 2.00 s, {writer.size} B\n"


def test_that_no_engine_is_heard_is_said_once(
    writer: RecordingWriter, capsys: pytest.CaptureFixture[str]
) -> None:
    progress = Progress(writer, START)
    for second in range(5):
        progress.show(moment(second))
    writer.close()
    assert capsys.readouterr().err == NO_ENGINE + "\n"


def test_why_none_is_heard_is_said_where_that_is_known(
    writer: RecordingWriter, capsys: pytest.CaptureFixture[str]
) -> None:
    progress = Progress(writer, START, silent=lambda: "there is no such directory")
    for second in range(5):
        progress.show(moment(second))
    writer.close()
    assert capsys.readouterr().err == "there is no such directory\n"


def test_on_a_terminal_one_line_is_drawn_anew(
    writer: RecordingWriter, capsys: pytest.CaptureFixture[str]
) -> None:
    progress = Progress(writer, START, terminal=True)
    for second in range(4):
        progress.show(moment(second, record()))
    writer.close()
    err = capsys.readouterr().err
    assert err.count("\r") == 3
    assert "\n" not in err


@pytest.mark.parametrize("seconds", ["0", "-1", "soon"])
def test_it_takes_some_seconds_or_none(
    seconds: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert run(["record", str(tmp_path / "a"), "--seconds", seconds]) == 2
    assert "--seconds" in capsys.readouterr().err
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_directory_is_not_recorded_into(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, force: list[str]
) -> None:
    assert run(["record", str(tmp_path), "--dir", str(tmp_path), *force]) == 2
    assert f"{tmp_path} is a directory: name a file in it" in capsys.readouterr().err
