"""`kvtrace explain`, in this process."""

import pytest

from kvtrace.causes import Cause
from kvtrace.cli import run
from kvtrace.cli.explain import named
from kvtrace.pages import CHECKOUT


def test_without_a_cause_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(Cause)


def test_a_page_is_printed_whole(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "unexplained"]) == 0
    out = capsys.readouterr().out
    assert out == (CHECKOUT / "unexplained.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("text", ["prefill-failed", "Prefill Failed", "FM05", " fm05 "])
def test_a_cause_may_be_named_in_several_ways(text: str) -> None:
    assert named(text) is Cause.PREFILL_FAILED


def test_who_names_none_is_told_what_is_near(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "lease"]) == 2
    assert "did you mean lease-ran-out" in capsys.readouterr().err
    assert run(["explain", "x"]) == 2
    assert "`kvtrace explain` lists all" in capsys.readouterr().err
