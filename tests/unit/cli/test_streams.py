"""The standard streams, in this process."""

import sys
from pathlib import Path

import pytest

from kvtrace.cli.streams import prepare, put, tell
from kvtrace.errors import KvtraceError


def test_what_is_told_is_one_line_that_no_name_can_break(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tell("no \x1b]0;title\x07\n\tof it, \udcff", start="kvtrace: ")
    assert capsys.readouterr().err == "kvtrace: no �]0;title� of it, �\n"


def test_streams_that_are_closed_are_stood_in_for(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    prepare()
    with pytest.raises(KvtraceError, match="the standard output is closed"):
        put(["this would go nowhere"])
    tell("nobody need hear this")
    assert sys.stdin.read() == ""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        stream.close()


def test_signs_that_the_output_lacks_are_replaced(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "out"
    with path.open("w", encoding="latin-1") as poor:
        monkeypatch.setattr(sys, "stdout", poor)
        prepare()
        put(["5 µs – and on"])
    assert path.read_text(encoding="latin-1") == "5 µs ? and on\n"


def test_results_that_cannot_be_written_are_an_error_and_words_that_cannot_are_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with open("/dev/full", "w") as full, open("/dev/full", "w") as other:
        monkeypatch.setattr(sys, "stdout", full)
        monkeypatch.setattr(sys, "stderr", other)
        tell("nobody hears this")
        with pytest.raises(KvtraceError, match=r"output cannot be written \(No space left"):
            put(["a", "b"])
