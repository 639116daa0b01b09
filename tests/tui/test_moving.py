"""Moving in a list, on every screen that has one."""

import pytest

from kvtrace.tui.moving import moved, onward


@pytest.mark.parametrize(
    ("selected", "by", "found"),
    [("a", 1, "b"), ("b", 10, "c"), ("b", -10, "a"), (None, 1, "b"), ("gone", 0, "a")],
)
def test_a_move_ends_at_the_ends(selected: str | None, by: int, found: str) -> None:
    assert moved("abc", selected, by) == found


def test_nothing_to_move_in() -> None:
    assert moved("", None, 1) is None
    assert onward("", None, 1, "a") is None


@pytest.mark.parametrize(
    ("selected", "by", "found"), [("a", 1, "c"), ("c", 1, "c"), ("b", -1, "c"), (None, -1, "c")]
)
def test_onward_goes_around_the_end(selected: str | None, by: int, found: str) -> None:
    assert onward("abc", selected, by, {"c"}) == found


def test_onward_finds_nothing_where_nothing_is_wanted() -> None:
    assert onward("abc", "a", 1, set()) is None
