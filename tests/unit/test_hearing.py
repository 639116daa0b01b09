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


def test_millions_of_processes_take_bounded_room() -> None:
    hearing = Hearing(processes=10)
    assert all(hearing.is_new(str(process), 1) for process in range(1_000))
    assert len(hearing._heard) + len(hearing._earlier) <= 20


def test_who_goes_on_speaking_is_remembered_among_any_number_of_others() -> None:
    hearing = Hearing(processes=10)
    for seq in range(1, 1_000):
        assert hearing.is_new("a", seq)
        assert hearing.is_new(f"other {seq}", 1)
    assert not any(hearing.is_new("a", seq) for seq in range(1, 1_000))


def test_many_gaps_of_many_processes_take_bounded_room() -> None:
    hearing = Hearing(stretches=100)
    for process in range(50):
        for seq in range(1, 100, 2):
            assert hearing.is_new(str(process), seq)
    kept = (*hearing._heard.values(), *hearing._earlier.values())
    assert sum(len(firsts) for firsts, _ in kept) <= 300
