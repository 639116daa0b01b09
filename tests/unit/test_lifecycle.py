"""How a half grows."""

from hypothesis import given
from hypothesis import strategies as st

from kvtrace.ending import may_end
from kvtrace.lifecycle import LAST_WORDS, MOST_MARKS, advance, begin, mark_key, overflows
from kvtrace.model import Role
from kvtrace.moments import Record
from kvtrace.transfer import Half
from tests.unit.samples import (
    SAMPLES,
    blocks_ready,
    blocks_released,
    completion_counted,
    registration_queued,
    registration_sent,
    send_reported,
    write_posted,
)
from tests.unit.story import D, P, Story

HALF = begin("D0", Role.CONSUMER, "r1-bbbbbbbb")


def records() -> list[Record]:
    story = Story()
    story.at(1, registration_queued(), registration_sent(), completion_counted(count=1, needed=2))
    story.at(2, registration_sent(), registration_sent(peer_rank=1), registration_sent(ordinal=1))
    story.at(3, registration_sent(), completion_counted(count=2, needed=2), rank=1)
    return [m.news for m in story.moments if isinstance(m.news, Record)]


def test_the_same_event_of_another_rank_peer_or_time_around_is_another_mark() -> None:
    assert len({mark_key(record) for record in records()}) == 7


def test_each_notification_counted_is_a_mark_of_its_own() -> None:
    assert mark_key(records()[2])[-1] == 1
    assert mark_key(records()[7])[-1] == 2


def test_of_an_event_told_twice_the_earlier_one_counts() -> None:
    told = HALF
    for record in records():
        told = advance(told, record, 9)
    sent = [
        t for key, t in told.told.items() if key[0] == "registration.sent" and key[2:] == (0, 0, 0)
    ]
    assert [t.mark.at for t in sent] == [1_000_000_000]


@given(st.permutations(records() + records()))
def test_any_order_and_any_repeat_give_the_same_half(order: list[Record]) -> None:
    expected = HALF
    for record in records():
        expected = advance(expected, record, 9)
    half = HALF
    for record in order:
        half = advance(half, record, 9)
    assert half == expected


def test_what_adds_nothing_gives_the_very_same_half() -> None:
    record = records()[0]
    once = advance(HALF, record, 9)
    assert advance(once, record, 10) is once
    assert HALF.told == {}


def test_a_half_knows_what_both_engines_call_the_request() -> None:
    assert HALF.base == "r1"
    assert begin("P0", Role.PRODUCER, "odd", 2).base == "odd"


def test_an_event_is_placed_in_the_half_that_it_belongs_to() -> None:
    moment = Story().at(1, blocks_ready(), by=D).moments[0]
    assert isinstance(moment.news, Record)
    (told,) = advance(begin("P0", Role.PRODUCER, "r"), moment.news, 5).told.values()
    assert told.place.role is Role.PRODUCER
    assert told.mark.seen == 5


def filled(name: str = "write.posted") -> Half:
    """A half that holds as many events as it may."""
    story = Story()
    for number in range(MOST_MARKS + 9):
        story.at(1, write_posted(), rank=number)
    half = begin("P0", Role.PRODUCER, "r")
    for moment in story.moments:
        assert isinstance(moment.news, Record)
        half = advance(half, moment.news, 9)
    assert len(half.told) == MOST_MARKS
    return half


def test_a_half_that_is_full_still_learns_that_it_ended() -> None:
    half = filled()
    story = Story().at(2, blocks_released(), by=P)
    (last,) = (moment.news for moment in story.moments)
    assert isinstance(last, Record)
    assert not overflows(half, last)
    assert any(key[0] == "blocks.released" for key in advance(half, last, 9).told)


def test_whatever_may_end_a_transfer_finds_room() -> None:
    half = filled()
    story = Story()
    story.at(2, *(event for event in SAMPLES if may_end(event)), rank=5)
    for moment in story.moments:
        assert isinstance(moment.news, Record)
        assert not overflows(half, moment.news)


def test_last_words_without_end_find_an_end_but_for_the_first_of_each_kind() -> None:
    half = filled()
    story = Story()
    for rank in range(500):
        story.at(2, send_reported(), rank=rank)
    story.at(3, blocks_released(), by=P)
    news = [moment.news for moment in story.moments if isinstance(moment.news, Record)]
    assert overflows(half, news[0]) is False
    for record in news:
        half = advance(half, record, 9)
    assert len(half.told) == MOST_MARKS + LAST_WORDS + 1
    assert any(key[0] == "blocks.released" for key in half.told)
    again = Story().at(4, send_reported(), rank=999).moments[0].news
    assert isinstance(again, Record)
    assert overflows(half, again)
