import pytest
from kvtrace_connector import plain


@pytest.mark.parametrize(
    ("value", "expected"), [(5, 5), ("5600", 5600), ("x", 0), (None, 0), (True, 1), (1.5, 0)]
)
def test_a_number_is_a_number_whatever_came(value: object, expected: int) -> None:
    assert plain.number(value) == expected


def test_a_text_is_cut() -> None:
    assert len(plain.text("x" * 5000)) == plain.LONGEST
    assert plain.text(None) == ""


def test_an_id_is_never_cut() -> None:
    assert plain.identity("x" * 5000) == "x" * 5000
    assert (plain.identity(None), plain.identity(7)) == ("", "7")


def test_an_exception_that_says_nothing_is_told_by_its_kind() -> None:
    assert plain.reason(TimeoutError()) == "TimeoutError"
    assert plain.reason(TimeoutError("late")) == "late"


@pytest.mark.parametrize(
    ("groups", "count"), [(([1, 2], [3]), 3), ([1, 2], 2), ((), 0), (None, 0), (([],), 0)]
)
def test_blocks_are_counted_in_any_grouping(groups: object, count: int) -> None:
    assert plain.blocks_in(groups) == count
