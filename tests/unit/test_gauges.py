"""What events say of their link and their engine, and what is kept of them."""

from kvtrace.model import Link
from kvtrace.moments import Ended, Lost, Record
from tests.unit.samples import (
    CONSUMER,
    CONSUMER_FIRST,
    PRODUCER,
    PRODUCER_FIRST,
    handshake_failed,
    match_made,
    registration_send_failed,
    step_sampled,
    write_failed,
    write_finished,
)
from tests.unit.story import SECOND, D, P, Story

LINK = Link(PRODUCER, CONSUMER)


def test_a_write_counts_for_the_link_of_its_transfer() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, match_made())
    (line,) = story.at(1, write_finished(transfer=SECOND // 100)).snapshot.links
    assert (line.link, line.writes, line.moved) == (LINK, 1, 4_096)
    assert line.rate == 409_600


def test_a_write_of_a_transfer_with_an_unknown_consumer_has_half_a_link() -> None:
    snapshot = Story().at(0, write_finished(request="elsewhere")).snapshot
    assert [line.link for line in snapshot.links] == [Link(PRODUCER, "")]


def test_whatever_fails_between_two_engines_counts_for_their_link() -> None:
    story = Story().at(0, write_failed(request="x"), registration_send_failed(request="y"), by=None)
    story.at(1, handshake_failed(request=""), by=D)
    story.at(1, handshake_failed(request="", side="P", peer=CONSUMER), by=P)
    assert [(line.link, line.failed) for line in story.snapshot.links] == [(LINK, 4)]


def test_an_engine_tells_of_its_steps() -> None:
    snapshot = Story().at(0, step_sampled(longest=7, total=20), by=P).snapshot
    assert [(vital.engine, vital.longest, vital.mean) for vital in snapshot.vitals] == [
        (PRODUCER, 7, 2)
    ]


def test_the_tail_has_everything_but_watching_and_silence() -> None:
    story = Story().at(0, *CONSUMER_FIRST).dies(D).hears(Lost(unreadable=1)).watched(P).at(5)
    kinds = [type(heard.news) for heard in story.snapshot.tail]
    assert kinds == [Record] * len(CONSUMER_FIRST) + [Ended, Lost]


def test_a_repeat_is_not_heard_twice() -> None:
    story = Story().at(0, *CONSUMER_FIRST)
    for moment in story.moments:
        assert moment.news is not None
        story.hears(moment.news)
    assert len(story.snapshot.tail) == len(CONSUMER_FIRST)
