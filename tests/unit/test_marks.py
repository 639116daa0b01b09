from kvtrace.marks import PARTS, Kind, Marked, Marking
from tests.unit.moments import SECOND


def test_marks_come_in_order_and_one_of_a_kind_in_a_place() -> None:
    made = Marking(1_000 * SECOND)
    made.mark(500 * SECOND, Kind.FAILED)
    made.mark(100 * SECOND, Kind.STALLED)
    made.mark(100 * SECOND + 1, Kind.STALLED)
    assert made.marks(600 * SECOND).marked == (
        Marked(100 * SECOND, Kind.STALLED),
        Marked(500 * SECOND, Kind.FAILED),
    )


def test_events_are_counted_by_when_they_came() -> None:
    made = Marking(1_000 * SECOND)
    for position in (0, 0, 1_000 * SECOND, 2_000 * SECOND, -5):
        made.count(position)
    found = made.marks(1_000 * SECOND, whole=True)
    assert (found.density[0], found.density[PARTS - 1], found.events) == (3, 2, 5)
    assert found.whole


def test_the_next_mark_is_the_next_trouble_unless_less_will_do() -> None:
    made = Marking(10 * SECOND)
    made.mark(2 * SECOND, Kind.ENGINE)
    made.mark(5 * SECOND, Kind.FAILED)
    found = made.marks(10 * SECOND)
    assert found.after(0) == Marked(5 * SECOND, Kind.FAILED)
    assert found.after(0, Kind.ENGINE) == Marked(2 * SECOND, Kind.ENGINE)
    assert found.after(5 * SECOND) is None


def test_a_recording_of_one_instant_has_marks_too() -> None:
    made = Marking(0)
    made.mark(0, Kind.TORN)
    assert made.marks(0).marked == (Marked(0, Kind.TORN),)
