"""Stories of registrations that were not sent, or never noticed."""

from kvtrace.causes import Cause
from kvtrace.moments import Lost
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    registration_noticed,
    registration_queued,
    registration_send_failed,
    registration_sent,
    request_finished,
    step_sampled,
)
from tests.unit.story import D, P, Story

BEFORE_SENT = CONSUMER_FIRST[:-1]
OTHER = "r2-cccccccc"
THIRD = "r3-dddddddd"


def test_a_registration_that_could_not_be_sent_is_blamed() -> None:
    story = Story().at(0, *BEFORE_SENT, *PRODUCER_FIRST)
    story.at(0, registration_send_failed(error="NIXL_ERR_BACKEND")).at(6)
    story.is_blamed_on(
        Cause.REGISTRATION_NOT_SENT, "D0 rank 0 could not send the registration to P0 rank 0"
    ).is_sure()


def test_one_rank_of_two_that_was_not_told_is_enough() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, registration_noticed())
    story.at(0, registration_send_failed(peer_rank=1, error="gone")).at(40)
    story.is_blamed_on(Cause.REGISTRATION_NOT_SENT, "to P0 rank 1: gone")


def test_a_registration_that_was_sent_at_the_second_try_is_not() -> None:
    story = Story().at(0, *BEFORE_SENT, *PRODUCER_FIRST, registration_send_failed(error="busy"))
    story.at(0.1, registration_sent(ordinal=1)).at(6)
    story.is_not_blamed_on(Cause.REGISTRATION_NOT_SENT)


def test_a_registration_that_could_not_be_sent_to_a_dead_producer_is_blamed_on_its_death() -> None:
    story = Story().at(0, *BEFORE_SENT, *PRODUCER_FIRST).dies(P)
    story.at(0.1, registration_send_failed(error="gone")).at(6).is_blamed_on(Cause.PRODUCER_DIED)


def test_a_client_that_left_does_not_change_why_nothing_was_sent() -> None:
    story = Story().at(0, *BEFORE_SENT, *PRODUCER_FIRST, registration_send_failed(error="gone"))
    story.at(5, request_finished(status="FINISHED_ABORTED", parked=True)).at(12)
    story.is_blamed_on(Cause.REGISTRATION_NOT_SENT)


def test_where_only_the_producer_is_heard_no_failure_to_send_is_made_up() -> None:
    Story().at(0, *PRODUCER_FIRST).at(6).is_not_blamed_on(Cause.REGISTRATION_NOT_SENT)


def swallowed() -> Story:
    """Sent, and not noticed by a producer whose blocks are ready."""
    return Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST)


def test_a_registration_that_a_living_producer_never_noticed_is_lost() -> None:
    story = swallowed().at(4, step_sampled(loops=900), by=P).at(6)
    story.is_blamed_on(
        Cause.REGISTRATION_LOST, "sent the registration to P0 rank 0 6.00 s ago"
    ).is_sure()


def test_a_producer_that_noticed_others_in_a_later_round_has_lost_this_one() -> None:
    story = swallowed()
    for at, other in ((3, OTHER), (4, THIRD)):
        story.at(at, registration_queued(request=other), registration_sent(request=other), by=D)
        story.at(at, registration_noticed(remote_request=other, gap=at * 1000), by=P)
    story.at(6)
    assert story.diagnoses()["r1"] is Cause.REGISTRATION_LOST


def test_a_producer_that_came_to_those_sent_before_has_not_lost_this_one() -> None:
    story = Story()
    for other in (OTHER, THIRD):
        story.at(0, registration_queued(request=other), registration_sent(request=other), by=D)
    story.at(0.5, *CONSUMER_FIRST, *PRODUCER_FIRST)
    for at, other in ((3, OTHER), (4, THIRD)):
        story.at(at, registration_noticed(remote_request=other, gap=at * 1000), by=P)
    assert story.at(6).diagnoses()["r1"] is not Cause.REGISTRATION_LOST


def test_a_writer_that_takes_seconds_for_one_round_has_lost_nothing() -> None:
    story = swallowed()
    for at, other in ((0.1, OTHER), (5.5, THIRD)):
        story.at(at, registration_queued(request=other), registration_sent(request=other), by=D)
        story.at(at, registration_noticed(remote_request=other, gap=1_402_431_030), by=P)
    story.at(6)
    assert story.diagnoses()["r1"] is not Cause.REGISTRATION_LOST


def test_a_producer_that_did_not_look_since_has_not_lost_it() -> None:
    swallowed().at(6).is_not_blamed_on(Cause.REGISTRATION_LOST)
    swallowed().at(1, step_sampled(loops=900), by=P).at(6).is_not_blamed_on(Cause.REGISTRATION_LOST)


def test_a_registration_that_was_noticed_is_not_lost() -> None:
    story = swallowed().at(0.1, registration_noticed()).at(4, step_sampled(loops=900), by=P).at(6)
    story.is_not_blamed_on(Cause.REGISTRATION_LOST)


def test_where_events_of_the_producer_were_lost_it_is_unsure() -> None:
    story = swallowed().hears(Lost(process="P0/0", overwritten=5))
    story.at(4, step_sampled(loops=900), by=P).at(6)
    story.is_blamed_on(Cause.REGISTRATION_LOST).is_unsure("events of P0 were lost")


def test_where_only_the_consumer_is_heard_nothing_is_said_to_be_lost() -> None:
    Story().at(0, *CONSUMER_FIRST).at(40).is_not_blamed_on(Cause.REGISTRATION_LOST)
