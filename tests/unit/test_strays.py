"""Last words without first ones."""

from kvtrace.model import Role
from kvtrace.moments import Record
from kvtrace.strays import Strays
from tests.unit.samples import send_reported
from tests.unit.story import Story


def record() -> Record:
    (moment,) = Story().at(0, send_reported()).moments
    assert isinstance(moment.news, Record)
    return moment.news


def test_what_is_kept_is_given_once() -> None:
    strays = Strays()
    key = ("P0", Role.PRODUCER, "r1")
    strays.keep(key, record(), 5)
    assert strays.give(key) == [(record(), 5)]
    assert strays.give(key) == []


def test_one_half_without_a_first_word_takes_bounded_room() -> None:
    strays = Strays()
    for number in range(20_000):
        strays.keep(("P0", Role.PRODUCER, "r1"), record(), number)
    assert len(strays.give(("P0", Role.PRODUCER, "r1"))) <= 8_000


def test_the_oldest_give_way() -> None:
    strays = Strays()
    for number in range(1_001):
        strays.keep(("P0", Role.PRODUCER, str(number)), record(), number)
    assert strays.give(("P0", Role.PRODUCER, "0")) == []
    assert strays.give(("P0", Role.PRODUCER, "1000")) != []


def test_last_words_are_found_by_their_base_id_while_they_are_kept() -> None:
    strays = Strays()
    key = ("P0", Role.PRODUCER, "r1-aaaaaaaa")
    strays.keep(key, record(), 5)
    assert strays.of("r1") == ((record(), 5),)
    assert strays.of("r2") == ()
    strays.give(key)
    assert strays.of("r1") == ()
