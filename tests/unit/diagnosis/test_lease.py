"""Stories of blocks that were given back too early."""

from kvtrace.causes import Cause
from kvtrace.moments import Lost
from tests.unit.samples import (
    CONSUMER_FIRST,
    P_REQUEST,
    PRODUCER_FIRST,
    WRITING,
    blocks_released,
    heartbeat_sent,
    lease_expired,
    lease_renewed,
    load_decided,
    process_started,
    registration_noticed,
    registration_queued,
    registration_sent,
    registration_staged,
    request_admitted,
    send_reported,
)
from tests.unit.story import D, P, Story

GIVEN_BACK = (lease_expired(), send_reported(), blocks_released())
LATE = (registration_staged(), registration_queued(), registration_sent(), registration_noticed())


def test_a_consumer_that_asks_after_the_lease_is_told_so() -> None:
    story = Story().at(0, process_started(engine="P0", kv_role="kv_producer"), by=P)
    story.at(0, *PRODUCER_FIRST).at(30, *GIVEN_BACK).at(35.2, *CONSUMER_FIRST)
    story.at(35.2, registration_noticed()).at(70)
    story.is_blamed_on(Cause.LEASE_RAN_OUT, "after 30.0 s; D0 asked 5.20 s later").is_sure()
    assert story.diagnosis is not None
    assert "(now 30 s)" in story.diagnosis.remedy


def test_a_consumer_that_has_not_asked_yet_is_told_so_too() -> None:
    story = Story().at(0, *PRODUCER_FIRST, request_admitted(remote_request=P_REQUEST))
    story.at(30, *GIVEN_BACK).at(40)
    story.is_blamed_on(Cause.LEASE_RAN_OUT, "D0 has not asked yet").is_sure()


def test_where_its_events_were_lost_it_may_have_asked() -> None:
    story = Story().at(0, *PRODUCER_FIRST, request_admitted(remote_request=P_REQUEST))
    story.hears(Lost(process="D0/-1", overwritten=3)).at(30, *GIVEN_BACK).at(40)
    story.is_blamed_on(Cause.LEASE_RAN_OUT).is_unsure("events of D0 were lost")


def test_a_lease_that_ends_during_the_write_is_another_matter() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, *WRITING)
    story.at(30, lease_expired(writes=1)).at(40).is_not_blamed_on(Cause.LEASE_RAN_OUT)


def test_a_lease_that_nobody_came_for_is_no_late_consumer() -> None:
    story = Story().at(0, *PRODUCER_FIRST).at(30, *GIVEN_BACK).at(40)
    story.is_not_blamed_on(Cause.LEASE_RAN_OUT)


def test_a_consumer_that_wanted_nothing_is_not_late() -> None:
    story = Story().at(0, *PRODUCER_FIRST, request_admitted(), load_decided(tokens=0))
    story.at(30, *GIVEN_BACK).at(40).is_not_blamed_on(Cause.LEASE_RAN_OUT)


def test_heartbeats_that_name_another_id_are_blamed_for_the_lease() -> None:
    story = Story().at(0, *PRODUCER_FIRST, request_admitted(remote_request="r1"))
    story.at(5, heartbeat_sent(), by=D).at(5, lease_renewed(matched=0, unmatched=1, example="r1"))
    story.at(30, *GIVEN_BACK).at(33, *LATE).at(70)
    story.is_blamed_on(Cause.LEASE_NEVER_RENEWED, "D0’s heartbeats name r1, P0 holds r1-aaaaaaaa")
    story.is_sure()


def test_heartbeats_that_name_the_right_id_are_not() -> None:
    story = Story().at(0, *PRODUCER_FIRST, request_admitted(remote_request=P_REQUEST))
    story.at(5, heartbeat_sent(), by=D).at(5, lease_renewed(matched=1))
    story.at(30, *GIVEN_BACK).at(33, *LATE).at(70).is_blamed_on(Cause.LEASE_RAN_OUT)


def test_heartbeats_that_match_nothing_are_healthy_while_the_lease_runs() -> None:
    story = Story().at(0, *PRODUCER_FIRST, request_admitted(remote_request="r1"))
    story.at(5, lease_renewed(matched=0, unmatched=1, example="r1")).at(9)
    story.is_not_blamed_on(Cause.LEASE_NEVER_RENEWED)


def test_where_no_heartbeat_was_seen_it_only_ran_out() -> None:
    story = Story().at(0, *PRODUCER_FIRST, request_admitted(remote_request="r1"))
    story.at(30, *GIVEN_BACK).at(33, *LATE).at(70).is_blamed_on(Cause.LEASE_RAN_OUT)
