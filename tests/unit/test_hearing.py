"""First time, or again."""

from hypothesis import given
from hypothesis import strategies as st

from kvtrace.hearing import Hearing


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 60)), max_size=300))
def test_each_is_new_once(heard: list[tuple[str, int]]) -> None:
    hearing = Hearing()
    new = [each for each in heard if hearing.is_new(*each)]
    assert sorted(new) == sorted(set(heard))


def test_a_gap_that_is_never_filled_takes_no_room() -> None:
    hearing = Hearing()
    assert all(hearing.is_new("a", seq) for seq in range(2, 100_000))
    assert not any(hearing.is_new("a", seq) for seq in range(98_000, 100_000))
    assert len(hearing._heard["a"][0]) <= 1024


def test_gaps_without_end_take_no_room() -> None:
    hearing = Hearing()
    assert all(hearing.is_new("a", seq) for seq in range(2, 100_000, 2))
    assert len(hearing._heard["a"][0]) <= 1024
    assert not hearing.is_new("a", 99_998)


def test_what_fills_a_gap_late_is_new_however_late() -> None:
    hearing = Hearing()
    early, late = range(1, 513), range(513, 1025)
    assert all(hearing.is_new("a", seq) for seq in (*early, *range(1025, 60_000)))
    assert all(hearing.is_new("a", seq) for seq in reversed(late))
    assert not any(hearing.is_new("a", seq) for seq in (*early, *late))
    assert len(hearing._heard["a"][0]) == 1
