"""`kvtrace agent`, as far as it needs no endpoint."""

from pathlib import Path

import pytest

from kvtrace.agent.lock import NAME
from kvtrace.cli import run
from kvtrace.cli.agent import ratio
from kvtrace.errors import ExportError


def test_without_an_endpoint_it_says_so_and_touches_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ENDPOINT", "LOGS_ENDPOINT", "TRACES_ENDPOINT"):
        monkeypatch.delenv(f"OTEL_EXPORTER_OTLP_{name}", raising=False)
    assert run(["agent", "--dir", str(tmp_path)]) == 2
    assert "nothing says where to send" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_settings_that_make_no_sense_are_said_and_keep_nobody_from_trying_with_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "zip")
    assert run(["agent", "--dir", str(tmp_path), "--endpoint", "http://h:1"]) == 2
    assert "zip" in capsys.readouterr().err
    assert (tmp_path / NAME).read_bytes() == b""


def test_a_share_of_spans_is_a_number_from_0_to_1() -> None:
    assert [ratio(text) for text in ("", "0", "0.25", "1")] == [1.0, 0.0, 0.25, 1.0]
    for text in ("half", "-1", "2", "nan"):
        with pytest.raises(ExportError, match="KVTRACE_SPAN_RATIO"):
            ratio(text)


@pytest.mark.parametrize("number", ["-3", "99999999999999999999999", "999999", "x", ""])
def test_a_lock_that_nobody_passed_on_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], number: str
) -> None:
    assert run(["agent", "--dir", str(tmp_path), "--launched", number]) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert "--launched" in said
