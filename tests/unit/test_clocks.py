"""Instants on our own clock."""

from kvtrace.clocks import Clocks, Offset
from kvtrace.model import Mark

MARK = Mark(at=100, wall=0, clock="theirs", seen=900)


def test_a_mark_of_our_own_clock_is_exact() -> None:
    assert Clocks("theirs").to_ours(MARK) == (100, 0)


def test_a_mark_of_another_clock_is_moved_and_carries_the_error() -> None:
    clocks = Clocks("ours", {"theirs": Offset(50, 3)})
    assert clocks.to_ours(MARK) == (150, 3)
    assert clocks.instant(MARK) == 150


def test_when_we_saw_it_stands_in_where_nothing_better_is_known() -> None:
    assert Clocks("ours").to_ours(MARK) == (900, None)
