"""`kvtrace collect`, in this process."""

from pathlib import Path

import pytest

from kvtrace.cli import run
from kvtrace.cli.collect import Progress
from kvtrace.sources.otlp.receiver import Receiver, Setup
from kvtrace.sources.otlp.tally import Tally
from tests.unit.snapshots import snapshot


def test_progress_tells_requests_and_events_and_ends_with_a_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    progress = Progress(Receiver(Setup(grpc=None, http=None)), terminal=False)
    progress.show(snapshot(engines=(), events=3))
    assert capsys.readouterr().err == ""
    progress.end()
    assert capsys.readouterr().err == "0 requests, 3 events\n"


def test_what_others_sent_is_told_so_that_one_sees_why_nothing_shows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    receiver = Receiver(Setup(grpc=None, http=None))
    receiver.counts.received.add(Tally(records=2_005, foreign=2_004, metrics=1))
    progress = Progress(receiver, terminal=False)
    progress.show(snapshot(engines=(), events=0))
    progress.end()
    said = "0 requests, 0 events, 2,004 log records and spans not kvtrace's, 1 metric passed over\n"
    assert capsys.readouterr().err == said
    assert receiver.health()["received"]["foreign"] == 2_004  # type: ignore[index]


def test_on_a_terminal_the_line_is_drawn_anew(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(Receiver(Setup(grpc=None, http=None)), terminal=True)
    progress.show(snapshot(engines=(), events=3))
    assert capsys.readouterr().err == "\r0 requests, 3 events"


def test_a_recording_that_exists_is_kept(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "a.kvtrace"
    path.write_text("mine")
    assert run(["collect", "--record", str(path)]) == 2
    assert "say --force" in capsys.readouterr().err
    assert path.read_text() == "mine"


def test_what_is_wrong_is_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["collect", "--listen", "a:b"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
