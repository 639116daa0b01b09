"""How far a long file is read, as a terminal is told it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kvtrace.cli.headway import EVERY, Headway, headway
from kvtrace.sources.recording import open_recording
from tests.unit.cli.test_diagnose import HEALTHY, recorded


def seconds() -> Iterator[float]:
    yield from range(0, 1_000, 10)


def told(
    capsys: pytest.CaptureFixture[str], parts: list[float | None], *, terminal: bool = True
) -> list[str]:
    """What is drawn, each look ten seconds after the one before."""
    given, clock = iter(parts), seconds()
    way = Headway("a.gz", lambda: next(given), terminal=terminal, now=lambda: next(clock))
    moments = range(EVERY * (len(parts) - 1) + 1)
    assert list(way.over(moments)) == list(moments)
    return capsys.readouterr().err.split("\r")[1:]


def test_how_much_is_read_and_how_long_the_rest_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, [0.01, 0.25, 0.5]) == [
        "kvtrace: reading a.gz: 1%",
        "kvtrace: reading a.gz: 25%, about 60 s left",
        "kvtrace: reading a.gz: 50%, about 30 s left",
        "",
    ]


def test_of_a_pipe_only_the_lines_are_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, [None, None])[1] == "kvtrace: reading a.gz: 1,000 lines so far"


def test_without_a_terminal_nothing_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, [0.5, 0.6], terminal=False) == []


def test_what_is_read_at_once_needs_no_word(capsys: pytest.CaptureFixture[str]) -> None:
    way = Headway("a", lambda: 0.5, terminal=True, now=lambda: 1.0)
    assert list(way.over("abc")) == ["a", "b", "c"]
    assert capsys.readouterr().err == ""


def test_a_reader_that_is_cut_off_leaves_no_line(capsys: pytest.CaptureFixture[str]) -> None:
    clock = seconds()
    reading = Headway("a", lambda: 0.5, terminal=True, now=lambda: next(clock)).over("abc")
    next(reading)
    reading.close()
    assert capsys.readouterr().err.endswith("\r")


def test_a_recording_knows_how_much_of_it_is_read(tmp_path: Path) -> None:
    recording = open_recording(recorded(tmp_path / "a.kvtrace.gz", HEALTHY))
    assert list(headway(recording))
    assert recording.part == 1.0
    recording.close()
