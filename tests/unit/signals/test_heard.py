"""What was told of a consumer's request before it was known whose it is."""

from kvtrace.moments import Record
from kvtrace.signals.heard import MOST, Heard
from tests.unit import samples
from tests.unit.story import P, Story


def noticed(number: int = 0) -> Record:
    story = Story()
    for peer in range(number + 1):
        story.at(1, samples.registration_noticed(peer=str(peer)), by=P)
    record = story.moments[-1].news
    assert isinstance(record, Record)
    return record


def test_it_is_found_by_the_consumer_s_id_and_told_again_is_kept_once() -> None:
    heard = Heard(limit=9)
    heard.keep("r1", noticed(), 5)
    heard.keep("r1", noticed(), 6)
    assert heard.of("P0", {"r1", "r2"}) == [(noticed(), 5)]
    assert heard.of("P1", {"r1"}) == []


def test_it_is_forgotten_with_its_half_and_beyond_the_limit() -> None:
    heard = Heard(limit=2)
    for name in ("r1", "r2", "r3"):
        heard.keep(name, noticed(), 5)
    assert heard.of("P0", {"r1"}) == []
    heard.drop("P0", {"r2", "never"})
    assert heard.of("P0", {"r2"}) == []
    assert heard.of("P0", {"r3"}) != []


def test_so_many_are_kept_for_one_id() -> None:
    heard = Heard(limit=2)
    for number in range(MOST + 5):
        heard.keep("r1", noticed(number), 5)
    assert len(heard.of("P0", {"r1"})) == MOST
