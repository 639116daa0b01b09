"""The parts that an agent is put together from; it runs in the integration tests."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from kvtrace.agent.journal import Journal
from kvtrace.agent.running import Office, Plan
from kvtrace.destination import destinations
from kvtrace.errors import ExportError


def office(directory: Path, stack: ExitStack, **environ: str) -> Office:
    found = destinations(environ, "http://127.0.0.1:9")
    plan = Plan(directory=directory, destinations=found, clock="boot")
    return Office(plan, Journal(lambda said: None), stack)


def test_each_signal_that_goes_anywhere_has_a_way_out(tmp_path: Path) -> None:
    with ExitStack() as stack:
        both = office(tmp_path, stack)
        assert None not in (both.outboxes.logs, both.outboxes.spans)
        only = office(tmp_path, stack, OTEL_LOGS_EXPORTER="none")
        assert only.outboxes.logs is None


def test_what_spans_leave_out_is_said_when_it_begins(tmp_path: Path) -> None:
    told: list[str] = []
    plan = Plan(directory=tmp_path, destinations=(), clock="boot")
    with ExitStack() as stack:
        made = Office(plan, Journal(told.append), stack)
        made.tell_left_out()
        assert told == []
        made.deriver.halves.late = 2
        made.tell_left_out()
        made.tell_left_out()
    (said,) = told
    assert "2 events came after their spans were made" in said


def test_settings_that_make_no_sense_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "zip")
    with ExitStack() as stack, pytest.raises(ExportError, match="zip"):
        office(tmp_path, stack)
