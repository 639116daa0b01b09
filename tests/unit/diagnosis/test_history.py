"""What is usual on a link."""

from kvtrace.diagnosis.history import ENOUGH, MOST_LINKS, History
from kvtrace.model import Link
from kvtrace.split import Part, Shares, split

LINK = Link("P0", "D0")


def wire(took: int) -> Shares:
    return split(((Part.PREFILL, 1_000), (Part.WIRE, took)), 0)


def test_nothing_is_usual_until_enough_finished() -> None:
    history = History()
    for took in range(ENOUGH - 1):
        history.add(LINK, wire(took))
    assert history.usual(LINK) is None
    history.add(LINK, wire(5))
    usual = history.usual(LINK)
    assert usual is not None
    assert usual.count == ENOUGH
    assert history.usual(Link("P0", "D1")) is None


def test_the_middle_counts_and_the_prefill_does_not() -> None:
    history = History()
    for took in (*range(100, 119), 9_999):
        history.add(LINK, wire(took))
    usual = history.usual(LINK)
    assert usual is not None
    assert usual.handoff == usual.parts[Part.WIRE] == 110
    assert usual.nine_in_ten == 118
    assert usual.parts[Part.PREFILL] == 1_000


def test_the_link_not_used_for_longest_is_forgotten() -> None:
    history = History()
    for _ in range(ENOUGH):
        history.add(LINK, wire(1))
    for number in range(MOST_LINKS):
        history.add(Link("P", str(number)), wire(1))
    assert history.usual(LINK) is None
