"""Stories of handshakes that take long, or wait for others."""

from kvtrace.causes import Cause
from kvtrace.model import Outcome
from tests.unit.samples import (
    CONSUMER_FIRST,
    LANDING,
    P_REQUEST,
    PRODUCER_FIRST,
    WRITING,
    handshake_failed,
    handshake_finished,
    handshake_started,
    match_made,
    registration_expired,
    registration_noticed,
    registration_sent,
    write_posted,
    write_started,
)
from tests.unit.story import D, P, Story


def shaken(seconds: float, and_then: float = 0.1) -> Story:
    """The producer reaches the consumer for the first time before it writes."""
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, registration_noticed(), match_made())
    took = round(seconds * 1e9)
    done = handshake_finished(request=P_REQUEST, side="P", peer="D0", took=took, round_trip=10**6)
    story.at(seconds, done, by=P).at(seconds, *WRITING[2:])
    return story.at(seconds + and_then, *LANDING)


def test_a_first_handshake_that_takes_most_of_the_handoff_is_named() -> None:
    shaken(4).has_ended(Outcome.FINISHED).is_blamed_on(
        Cause.FIRST_HANDSHAKE, "4.00 s of the 4.10 s that the handoff took were the first"
    ).is_sure()


def test_a_first_handshake_of_a_second_is_healthy() -> None:
    shaken(1).is_blamed_on(None)


def test_a_first_handshake_that_is_not_most_of_it_is_not_named() -> None:
    shaken(2.5, and_then=6).is_not_blamed_on(Cause.FIRST_HANDSHAKE)


def test_where_only_one_side_is_heard_it_is_not_named() -> None:
    story = Story().at(0, *CONSUMER_FIRST[:-1])
    story.at(4, handshake_finished(took=4 * 10**9), registration_sent(), by=D)
    story.at(4.1, *LANDING[-4:], by=D)
    story.is_not_blamed_on(Cause.FIRST_HANDSHAKE)


def shaking(until: float) -> Story:
    """The producer has both, and its handshake with the consumer does not end."""
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, registration_noticed(), match_made())
    begun = handshake_started(request="", peer="D0", host="10.0.0.2", port=5600)
    story.at(0.1, begun, by=P).at(4, registration_expired(timeout=4 * 10**9))
    return story.at(until)


def test_a_handshake_that_does_not_end_is_named_while_it_lasts() -> None:
    shaking(9).is_blamed_on(Cause.FIRST_HANDSHAKE, "(10.0.0.2:5600) for 8.90 s, and is still at it")


def test_a_handshake_that_may_still_fail_or_end_is_no_cause_yet_and_nor_is_a_watchdog() -> None:
    shaking(6).is_blamed_on(Cause.UNEXPLAINED)


def test_who_sent_a_registration_is_at_no_handshake_though_its_end_was_not_heard() -> None:
    story = Story().at(0, handshake_started(request="")).at(0.1, *CONSUMER_FIRST)
    story.at(31).is_not_blamed_on(Cause.FIRST_HANDSHAKE)


def behind_a_dead_peer() -> Story:
    """The rank's one handshake thread waits for an engine that does not answer."""
    story = Story().at(0, *PRODUCER_FIRST)
    dead = handshake_started(request="", peer="P7", host="10.0.0.7", port=5600)
    return story.at(0, dead, by=D).at(0.1, *CONSUMER_FIRST[:-1])


def test_a_handshake_that_waits_behind_another_s_timeout_is_named() -> None:
    behind_a_dead_peer().at(6).is_blamed_on(
        Cause.HANDSHAKES_QUEUE, "was at P7 (10.0.0.7:5600) for 5.90 s"
    ).is_sure()


def test_a_write_that_is_put_off_behind_another_s_timeout_is_named() -> None:
    dead = handshake_started(request="", side="P", peer="d-7", host="10.0.0.7", port=5600)
    story = Story().at(0, dead, by=P).at(0, handshake_started(), handshake_finished(), by=D)
    story.at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, registration_noticed(), match_made())
    story.at(0.1, write_started(outcome="deferred")).at(6)
    story.is_blamed_on(Cause.HANDSHAKES_QUEUE, "P0 rank 0 waited 5.90 s").is_sure()


def test_a_handshake_that_has_begun_does_not_wait_any_more() -> None:
    story = behind_a_dead_peer().at(2, handshake_started(waited=10**8), by=D).at(7)
    story.is_not_blamed_on(Cause.HANDSHAKES_QUEUE)


def test_a_registration_that_waits_for_nobody_s_handshake_is_not_blamed_on_one() -> None:
    story = Story().at(0, *CONSUMER_FIRST[:-1], *PRODUCER_FIRST).at(6)
    story.is_not_blamed_on(Cause.HANDSHAKES_QUEUE)


def test_a_transfer_that_finished_late_for_it_is_named() -> None:
    story = behind_a_dead_peer()
    failed = handshake_failed(request="", peer="P7", took=5 * 10**9, host="10.0.0.7", port=5600)
    story.at(5, failed, by=D).at(5, handshake_started(waited=49 * 10**8), by=D)
    story.at(5.1, handshake_finished(took=10**8), registration_sent(), by=D)
    story.at(5.2, *WRITING, *LANDING).has_ended(Outcome.FINISHED)
    story.is_blamed_on(Cause.HANDSHAKES_QUEUE, "waited 4.90 s for its handshake thread")


def test_a_short_wait_for_the_thread_is_healthy() -> None:
    story = Story().at(0, *PRODUCER_FIRST, *CONSUMER_FIRST[:-1])
    story.at(0, handshake_started(waited=10**8), by=D).at(0.1, handshake_finished(), by=D)
    story.at(0.2, registration_sent()).at(0.3, *WRITING, write_posted(), *LANDING)
    story.is_blamed_on(None)
