"""Stories of engines that answer no handshakes any more."""

from kvtrace.causes import Cause
from tests.unit.diagnosis.test_handshakes import without_answer
from tests.unit.samples import (
    CONSUMER_FIRST,
    WHOLE,
    handshake_started,
    listener_died,
    listener_started,
    process_started,
    request_admitted,
)
from tests.unit.story import D, P, Story


def producer_without_a_listener() -> Story:
    """It answered until one bad word came."""
    story = Story().at(0, listener_started(), by=P)
    return story.at(1, listener_died(error="KeyError (0, 1)"), by=P)


def consumer_asks(story: Story, tp_size: int = 1) -> Story:
    """A new consumer sets out to reach it."""
    asked = request_admitted(host="10.0.0.1", port=5600, tp_size=tp_size)
    return story.at(2, asked, *CONSUMER_FIRST[1:-1])


def test_a_listener_that_died_is_why_nobody_answers() -> None:
    story = without_answer(consumer_asks(producer_without_a_listener()))
    story.is_blamed_on(Cause.LISTENER_DIED, "listener died 4.10 s ago of KeyError").is_sure()


def test_a_listener_that_died_is_why_one_still_asks() -> None:
    story = consumer_asks(producer_without_a_listener())
    story.at(2, handshake_started(request="", peer="P0", host="10.0.0.1", port=5600), by=D).at(7.5)
    story.is_blamed_on(Cause.LISTENER_DIED, "D0 rank 0 has asked P0 for 5.50 s").is_sure()


def test_who_asked_for_a_rank_too_many_is_told_so() -> None:
    story = Story().at(0, process_started(tp_size=1), listener_started(), by=P)
    story.at(1, listener_died(error="KeyError (0, 1)"), by=P)
    without_answer(consumer_asks(story, tp_size=2)).is_blamed_on(Cause.LISTENER_DIED)
    assert story.diagnosis is not None
    assert "`tp_size` (1, not 2)" in story.diagnosis.remedy


def test_a_listener_that_lives_is_not_blamed_for_silence() -> None:
    story = Story().at(0, listener_started(), by=P)
    without_answer(consumer_asks(story)).is_blamed_on(Cause.SIDE_CHANNEL_UNREACHABLE)


def test_a_listener_that_was_started_again_is_not_blamed() -> None:
    story = producer_without_a_listener().at(1.5, listener_started(), by=P)
    without_answer(consumer_asks(story)).is_not_blamed_on(Cause.LISTENER_DIED)


def test_where_the_producer_is_not_heard_its_listener_is_not_blamed() -> None:
    without_answer(consumer_asks(Story())).is_not_blamed_on(Cause.LISTENER_DIED)


def test_a_dead_listener_is_named_before_anyone_asks() -> None:
    story = producer_without_a_listener().at(3)
    assert story.engine_causes == {Cause.LISTENER_DIED}


def test_peers_that_know_each_other_go_on() -> None:
    story = producer_without_a_listener().at(2, *WHOLE)
    story.is_not_blamed_on(Cause.LISTENER_DIED)
