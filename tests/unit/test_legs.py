"""What routers said is found by their own ids, and does not grow."""

from kvtrace.legs import MOST_REQUESTS, Legs
from kvtrace.model import Mark, Place, Role
from kvtrace.transfer import Told
from tests.unit.samples import leg_sent


def told(request: str) -> Told:
    place = Place("router", Role.CONSUMER)
    return Told(place, Mark(0, 0, "", 0), leg_sent(request=request), "router", 1)


def test_legs_are_found_by_any_of_the_ids() -> None:
    legs = Legs()
    assert not legs
    legs.hear(told("r1"))
    legs.hear(told("r1"))
    assert legs
    assert len(legs.of(["cmpl-r1-0", "r1"])) == 2
    assert legs.of(["r2"]) == ()


def test_those_not_spoken_of_for_longest_give_way() -> None:
    legs = Legs()
    for number in range(MOST_REQUESTS + 1):
        legs.hear(told(f"r{number}"))
    assert legs.of(["r0"]) == ()
    assert len(legs.of(["r1"])) == 1
