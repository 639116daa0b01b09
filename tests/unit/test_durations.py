"""Percentiles over five minutes."""

from hypothesis import given
from hypothesis import strategies as st

from kvtrace.durations import Durations

SECOND = 1_000_000_000


def test_where_none_ended_nothing_is_said() -> None:
    durations = Durations()
    assert durations.percentiles() == (0, None, None)
    assert durations.rate(0) == 0
    assert set(durations.history(0)) == {-1}


@given(st.lists(st.integers(0, 10**13), min_size=1, max_size=200))
def test_percentiles_are_those_of_the_durations_but_for_one_in_a_thousand(
    given_: list[int],
) -> None:
    durations = Durations()
    for duration in given_:
        durations.add(0, duration)
    count, p50, p99 = durations.percentiles()
    ordered = sorted(given_)
    assert count == len(given_)
    for percent, found in ((50, p50), (99, p99)):
        exact = ordered[-(-len(given_) * percent // 100) - 1]
        assert found is not None
        assert abs(found - exact) <= exact / 1_000


def test_what_ended_more_than_five_minutes_ago_is_forgotten() -> None:
    durations = Durations()
    durations.add(0, 7)
    durations.add(400 * SECOND, 9)
    durations.forget(400 * SECOND)
    assert durations.percentiles() == (1, 9, 9)


def test_the_rate_is_that_of_the_last_ten_seconds() -> None:
    durations = Durations()
    for second in range(60):
        durations.add(second * SECOND, 1)
        durations.add(second * SECOND, 1)
    durations.forget(59 * SECOND)
    assert durations.rate(59 * SECOND) == 2.0
    assert durations.rate(64 * SECOND) == 1.0


def test_the_history_has_its_newest_part_last() -> None:
    durations = Durations()
    durations.add(0, 5)
    assert durations.history(0)[-1] == 5
    durations.add(1, 50)
    assert durations.history(0)[-1] == 50
    assert durations.history(15 * SECOND)[-2:] == (50, -1)
