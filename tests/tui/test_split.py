"""Where a transfer's time went, wide and narrow."""

import pytest
from rich.text import Text

from kvtrace.model import Phase
from kvtrace.split import Part, split
from kvtrace.tui.frame import Frame
from kvtrace.tui.look import Look
from kvtrace.tui.split import by_part, by_phase, split_lines, split_table

MS = 1_000_000
WENT = split(((Part.ADMISSION, MS), (Part.PREFILL, 20 * MS), (Part.WIRE, 79 * MS)), 0)


def said(lines: list[Text]) -> list[str]:
    return [line.plain.rstrip() for line in lines]


def test_the_table_is_in_the_order_of_time_and_adds_up() -> None:
    title, *rows, total = said(split_table(by_part(WENT), Frame(width=60), so_far=False))
    assert title == " WHERE THE WAIT WENT"
    assert [row[:15].rstrip() for row in rows] == [" R D admission", " B P compute", " W wire"]
    assert total.split() == ["sum", "100", "ms", "100%"]


def test_the_line_begins_with_what_took_longest() -> None:
    (line,) = said(split_lines(by_part(WENT), Frame(width=80), so_far=False))
    assert line == " TIME   W wire 79.0 ms 79%   B P compute 20.0 ms 20%   R D admission 1.00 ms 1%"


@pytest.mark.parametrize("width", [20, 30, 40, 60])
def test_what_does_not_fit_in_a_line_goes_to_the_next(width: int) -> None:
    lines = split_lines(by_part(WENT), Frame(width=width), so_far=False, most=9)
    assert all(line.cell_len < width for line in lines)
    if width >= 40:
        assert [" ".join(said(lines)).count(name) for name in ("wire", "compute")] == [1, 1]


def test_a_phase_is_told_by_its_letter_alone() -> None:
    spent = [(phase, MS) for phase in Phase]
    (line,) = said(split_lines(by_phase(spent), Frame(width=80), so_far=True))
    assert line.endswith("C 1.00 ms 25%   so far")
    assert "Write" not in line


def test_without_colour_a_bar_has_the_texture_of_its_phase() -> None:
    look = Look(colour=False)
    frame = Frame(width=100, look=look)
    rows = said(split_table(by_part(WENT), frame, so_far=False))
    assert look.texture(Phase.WRITE) * 10 in rows[3]
