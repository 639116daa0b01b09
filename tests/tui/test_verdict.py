"""The first lines of a screen, as text."""

import pytest

from kvtrace.tui.frame import Frame, Mode, Status
from kvtrace.tui.verdict import verdict

TAKEN = (
    "/dev/shm/kvtrace-0; not OTLP, port 4317 of 127.0.0.1 is taken by another program: "
    "stop that one, or name another port"
)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_what_is_read_is_told_whole_where_nothing_is_heard(width: int) -> None:
    lines = [line.plain for line in verdict(Frame(width=width, height=24, source=TAKEN))]
    assert f"Reading {TAKEN}." in " ".join(line.strip() for line in lines)
    assert all(len(line) < width for line in lines)


@pytest.mark.parametrize("width", [60, 80, 120])
def test_what_is_wrong_with_a_recording_is_told_whole_at_its_end(width: int) -> None:
    note = "The recording is over. It is damaged after 1,653 events, and ends in the middle of one."
    lines = [
        line.plain
        for line in verdict(Frame(width=width, height=24, status=Status(Mode.OVER, note)))
    ]
    assert f"{note} Shown is what was known at its end." in " ".join(map(str.strip, lines))
    assert all(len(line) < width for line in lines)
