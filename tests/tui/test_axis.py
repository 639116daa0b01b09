from hypothesis import given
from hypothesis import strategies as st

from kvtrace.tui.axis import folded, to_scale

MS, S = 1_000_000, 1_000_000_000
INSTANTS = st.lists(st.integers(min_value=0, max_value=10**13), min_size=1, max_size=60)


@given(INSTANTS, st.integers(min_value=10, max_value=200))
def test_instants_keep_their_order_and_stay_on_the_axis(instants: list[int], width: int) -> None:
    for axis in (folded(instants, width), to_scale(instants, width)):
        columns = [axis.column(at) for at in sorted(instants)]
        assert columns == sorted(columns)
        assert columns[0] == 0
        assert columns[-1] <= width - 1


def test_a_quiet_stretch_is_folded_and_a_busy_one_is_not() -> None:
    instants = [0, 1 * MS, 5 * S, 5 * S + MS, 134 * S]
    assert folded(instants, 100).folds == ((5 * S + MS, 134 * S),)
    assert folded(instants, 100, busy=[(5 * S, 134 * S)]).folds == ()


def test_milliseconds_are_seen_beside_minutes() -> None:
    axis = folded([0, 1 * MS, 3 * MS, 410 * MS, 134 * S], 100)
    assert axis.column(3 * MS) - axis.column(1 * MS) >= 5


def test_to_scale_equal_times_take_equal_cells() -> None:
    axis = to_scale([0, 25, 50, 100], 101)
    assert [axis.column(at) for at in (0, 25, 50, 75, 100)] == [0, 25, 50, 75, 100]
