import pytest

from kvtrace.tui.fitting import columns, is_tiny, pack, rows


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (200, "mark, waited, phase, phase name, waits for, link, ranks, size, age, transfer"),
        (110, "mark, waited, phase, phase name, waits for, link, ranks, size, age, transfer"),
        (100, "mark, waited, phase, phase name, waits for, link, ranks, size, transfer"),
        (90, "mark, waited, phase, phase name, waits for, link, ranks, transfer"),
        (80, "mark, waited, phase, phase name, waits for, link, transfer"),
        (70, "mark, waited, phase, waits for, link, transfer"),
        (59, "mark, waited, phase, waits for, transfer"),
        (40, "mark, waited, phase, waits for"),
        (20, "mark, phase, waits for"),
        (16, "mark, phase, waits for"),
    ],
)
def test_columns_are_given_up_in_order(width: int, expected: str) -> None:
    shown = columns(width, place=12, link=7, longest=41)
    assert list(shown.widths) == expected.split(", ")


@pytest.mark.parametrize("cause", [0, 24])
@pytest.mark.parametrize("width", range(18, 60))
def test_who_must_act_or_the_cause_can_be_read_however_narrow_it_is(width: int, cause: int) -> None:
    shown = columns(width, place=12, link=7, longest=41, cause=cause).widths
    assert shown["cause" if cause else "waits for"] >= min(12, width - 7)


@pytest.mark.parametrize("width", range(14, 240))
def test_columns_never_take_more_than_there_is(width: int) -> None:
    shown = columns(width, place=22, link=27, longest=45)
    gaps = {"waited": 1, "phase": 1, "phase name": 1, "mark": 0}
    assert sum(cells + gaps.get(name, 2) for name, cells in shown.widths.items()) <= width - 2


@pytest.mark.parametrize("height", range(5, 80))
def test_the_fleet_screen_never_takes_more_lines_than_there_are(height: int) -> None:
    shown = rows(height, verdict=1, engines=9)
    fixed = 2 + shown.header + shown.heading + shown.losses
    panels = 5 * shown.phases + (shown.engines and shown.engines + 1)
    assert fixed + panels + shown.gaps < height


def test_phases_go_after_engines_and_blank_lines_before_both() -> None:
    assert rows(24, verdict=1, engines=2).gaps == 3
    assert rows(20, verdict=1, engines=2).gaps == 0
    assert rows(20, verdict=1, engines=2).phases
    shown = rows(15, verdict=1, engines=2)
    assert (shown.phases, shown.engines) == (False, 2)
    assert rows(9, verdict=1, engines=2).engines == 0


def test_a_tiny_terminal_is_known() -> None:
    assert is_tiny(20, 5)
    assert is_tiny(59, 24)
    assert is_tiny(80, 11)
    assert not is_tiny(80, 24)


def test_cells_are_packed_into_lines() -> None:
    assert pack([10, 10, 10, 10], 36, gap=3) == [3, 1]
    assert pack([50], 20, gap=3) == [1]
    assert pack([], 20, gap=3) == []
