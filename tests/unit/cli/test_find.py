"""`kvtrace find`, in this process."""

import pytest

from kvtrace.cli import run
from kvtrace.signals.hashing import Hasher
from kvtrace.signals.ids import derived

REQUEST = "cmpl-1b2c3d4e-0-5f6a7b8c"


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, str]:
    assert run(["find", *arguments]) == 0
    return {line.split()[0]: line.split()[1] for line in capsys.readouterr().out.splitlines()}


def test_without_a_secret_an_id_is_called_what_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KVTRACE_HASH_IDS", raising=False)
    found = said(capsys, REQUEST)
    assert found["kvtrace.request"] == REQUEST
    assert found["kvtrace.join"] == "cmpl-1b2c3d4e-0"
    assert found["trace"] == derived("cmpl-1b2c3d4e-0").trace_id.hex()


def test_with_the_secret_it_is_called_what_the_agent_made_of_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KVTRACE_HASH_IDS", "secret")
    found = said(capsys, REQUEST)
    made = Hasher("secret").of(REQUEST)
    assert found["kvtrace.request"] == made
    assert found["kvtrace.join"] == made[:16]
    assert said(capsys, REQUEST, "--secret", "other")["kvtrace.join"] != made[:16]


def test_both_sides_are_found_in_one_trace(capsys: pytest.CaptureFixture[str]) -> None:
    other = "cmpl-1b2c3d4e-0-00000000"
    one, two = (said(capsys, it, "--secret", "s")["trace"] for it in (REQUEST, other))
    assert one == two


@pytest.mark.parametrize("nothing", ["", "  "])
def test_an_empty_id_is_refused(capsys: pytest.CaptureFixture[str], nothing: str) -> None:
    assert run(["find", nothing]) == 2
    assert "ID is empty" in capsys.readouterr().err


def test_an_id_moves_no_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["find", "\x1b[31mred"]) == 0
    assert "\x1b" not in capsys.readouterr().out
