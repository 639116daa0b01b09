"""Stories of engines that were started anew under their old id."""

import msgspec

from kvtrace.causes import Cause
from tests.unit.samples import (
    CONSUMER_FIRST,
    P_REQUEST,
    PRODUCER_FIRST,
    WRITING,
    handshake_finished,
    listener_started,
    process_started,
    write_failed,
)
from tests.unit.story import D, P, Story

P_AGAIN = msgspec.structs.replace(P, restarts=1)
D_AGAIN = msgspec.structs.replace(D, restarts=1)


def consumer_restarted() -> Story:
    """The producer had reached the consumer, which was killed and started anew."""
    story = (
        Story().at(0, process_started(), by=P).at(0, process_started(), listener_started(), by=D)
    )
    story.at(1, handshake_finished(request="", side="P", peer="D0"), by=P)
    story.at(2).dies(D).dies(D, 0)
    return story.at(3, process_started(), listener_started(), by=D_AGAIN)


def anew(story: Story) -> Story:
    """The consumer as it is now asks, and the producer posts its write."""
    story.at(4, *CONSUMER_FIRST, by=D_AGAIN).at(4, *PRODUCER_FIRST)
    return story.at(4.1, *WRITING)


def test_a_write_to_a_consumer_as_it_was_before_is_blamed_on_the_restart() -> None:
    story = anew(consumer_restarted()).at(4.2, write_failed(stage="transfer", error="ERR")).at(10)
    story.is_blamed_on(
        Cause.PEER_RESTARTED, "D0 was started anew 7.00 s ago under its old id; P0 rank 0"
    ).is_sure()


def test_a_write_that_hangs_after_it_is_too() -> None:
    anew(consumer_restarted()).at(10).is_blamed_on(Cause.PEER_RESTARTED)


def test_a_producer_that_shook_hands_again_writes_to_the_new_one() -> None:
    story = consumer_restarted()
    story.at(3.5, handshake_finished(request=P_REQUEST, side="P", peer="D0", ordinal=1), by=P)
    anew(story).at(10).is_not_blamed_on(Cause.PEER_RESTARTED)


def test_a_consumer_that_was_never_restarted_is_not_blamed() -> None:
    story = Story().at(0, process_started(), by=D).at(4, *CONSUMER_FIRST, *PRODUCER_FIRST, *WRITING)
    story.at(10).is_not_blamed_on(Cause.PEER_RESTARTED)


def producer_restarted() -> Story:
    """The consumer had reached the producer, which was killed and started anew."""
    story = Story().at(0, process_started(), listener_started(), by=P)
    story.at(1, handshake_finished(request=""), by=D)
    story.at(2).dies(P).dies(P, 0)
    return story.at(3, process_started(), listener_started(), by=P_AGAIN)


def test_a_registration_with_a_producer_as_it_was_before_is_blamed_on_the_restart() -> None:
    story = producer_restarted().at(4, *CONSUMER_FIRST).at(4, *PRODUCER_FIRST, by=P_AGAIN).at(10)
    story.is_blamed_on(Cause.PEER_RESTARTED, "D0 rank 0 still registers with the old one").is_sure()


def test_where_the_restart_is_not_heard_it_is_not_made_up() -> None:
    story = Story().at(1, handshake_finished(request=""), by=D).at(4, *CONSUMER_FIRST).at(40)
    story.is_not_blamed_on(Cause.PEER_RESTARTED)
