"""The parts of a wait."""

from kvtrace.split import Part, split

MADE = split(((Part.PREFILL, 5), (Part.WIRE, 3), (Part.SCHEDULING, 1)), 0)


def test_parts_add_up() -> None:
    assert MADE.whole == 9
    assert MADE.of(Part.WIRE, Part.SCHEDULING, Part.POST) == 4


def test_the_handoff_is_without_the_prefill() -> None:
    assert MADE.handoff == 4
