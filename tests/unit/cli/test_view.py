"""Which form snapshots are shown in."""

import json

import pytest

from kvtrace.cli.view import Form, View, form
from kvtrace.report import NO_ENGINE
from tests.unit.snapshots import snapshot

XTERM = {"TERM": "xterm-256color"}


def test_a_terminal_gets_the_screen() -> None:
    assert form(False, False, terminal=True, environ=XTERM) is Form.SCREEN


@pytest.mark.parametrize("environ", [{}, {"TERM": "dumb"}])
def test_a_terminal_that_cannot_draw_gets_lines(environ: dict[str, str]) -> None:
    assert form(False, False, terminal=True, environ=environ) is Form.PLAIN


def test_what_is_no_terminal_gets_lines() -> None:
    assert form(False, False, terminal=False, environ=XTERM) is Form.PLAIN


def test_what_was_asked_for_goes_first() -> None:
    assert form(True, False, terminal=True, environ=XTERM) is Form.PLAIN
    assert form(False, True, terminal=True, environ=XTERM) is Form.JSON


def test_documents_come_once_a_second_and_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    frames = (snapshot(tenth / 10) for tenth in range(26))
    View(Form.JSON).show(frames, "here")
    times = [json.loads(line)["at"] for line in capsys.readouterr().out.splitlines()]
    assert [time // 100_000_000 for time in times] == [10, 20, 30, 35]


def test_that_no_engine_is_heard_is_said_beside_the_documents(
    capsys: pytest.CaptureFixture[str],
) -> None:
    View(Form.JSON).show((snapshot(second, engines=()) for second in range(4)), "here")
    out, err = capsys.readouterr()
    assert err == NO_ENGINE + "\n"
    assert out.count("\n") == 4


def test_once_shows_the_last(capsys: pytest.CaptureFixture[str]) -> None:
    View(Form.JSON, once=True).show(iter([snapshot(0), snapshot(1)]), "here")
    assert json.loads(capsys.readouterr().out)["at"] == snapshot(1).at


def test_once_without_engines_is_an_empty_document(capsys: pytest.CaptureFixture[str]) -> None:
    View(Form.JSON, once=True).show(iter([snapshot(engines=())]), "here")
    out, err = capsys.readouterr()
    assert json.loads(out)["transfers"] == []
    assert err == NO_ENGINE + "\n"


def test_once_as_a_table_shows_phases(capsys: pytest.CaptureFixture[str]) -> None:
    View(Form.SCREEN, once=True).show(iter([snapshot()]), "here")
    assert "registration" in capsys.readouterr().out


def test_a_warning_is_not_written_into_the_screen(capsys: pytest.CaptureFixture[str]) -> None:
    View(Form.SCREEN).warn("no")
    View(Form.PLAIN).warn("yes")
    assert capsys.readouterr().err == "kvtrace: yes\n"


def test_what_happens_meanwhile_is_kept_for_the_screen(capsys: pytest.CaptureFixture[str]) -> None:
    screen, lines = View(Form.SCREEN), View(Form.PLAIN)
    for view in (screen, lines):
        view.mention("later")
    assert list(screen.asides) == ["later"]
    assert capsys.readouterr().err == "kvtrace: later\n"
