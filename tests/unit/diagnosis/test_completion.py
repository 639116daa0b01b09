"""Stories of writes that landed, and of which one side was never told."""

from kvtrace.causes import Cause
from kvtrace.model import Outcome
from kvtrace.moments import Lost
from tests.unit.samples import (
    CONSUMER_FIRST,
    LANDING,
    PRODUCER_FIRST,
    WRITING,
    blocks_released,
    completion_counted,
    lease_expired,
    lease_renewed,
    notification_noticed,
    process_started,
    receive_finished,
    receive_reported,
    request_finished,
    request_resumed,
    send_reported,
    step_sampled,
    write_failed,
    write_finished,
)
from tests.unit.story import D, P, Story

BOTH = CONSUMER_FIRST + PRODUCER_FIRST
RECEIVED = (
    notification_noticed(),
    completion_counted(),
    receive_reported(),
    receive_finished(),
    request_resumed(),
)


def landed() -> Story:
    return Story().at(0, *BOTH, *WRITING).at(1, write_finished(), send_reported())


def test_a_notification_that_never_came_is_blamed_once_the_consumer_looked() -> None:
    story = landed().at(4, step_sampled(loops=900), by=D)
    story.at(9).is_blamed_on(Cause.COMPLETION_LOST, "D0 rank 0 was never notified").is_sure()


def test_that_the_client_left_since_does_not_change_what_was_lost() -> None:
    story = landed().at(4, step_sampled(loops=900), by=D)
    story.at(7, request_finished(status="FINISHED_ABORTED", parked=True))
    story.at(9).is_blamed_on(Cause.COMPLETION_LOST)


def test_a_write_whose_telemetry_raised_has_landed_too() -> None:
    story = Story().at(0, *BOTH, *WRITING).at(1, write_failed(stage="telemetry"))
    story.at(4, step_sampled(loops=900), by=D).at(9).is_blamed_on(Cause.COMPLETION_LOST)


def test_a_consumer_that_did_not_look_yet_lost_nothing() -> None:
    story = landed().at(4, step_sampled(window=4 * 10**9, loops=1), by=D)
    story.at(9).is_not_blamed_on(Cause.COMPLETION_LOST)


def test_a_notification_that_was_noticed_is_not_lost() -> None:
    story = landed().at(1, notification_noticed()).at(4, step_sampled(loops=900), by=D)
    story.at(9).is_not_blamed_on(Cause.COMPLETION_LOST)


def test_a_notification_of_an_unknown_peer_is_not_lost() -> None:
    story = landed().at(1, notification_noticed(peer_rank=-1))
    story.at(4, step_sampled(loops=900), by=D).at(9).is_not_blamed_on(Cause.COMPLETION_LOST)


def test_where_events_of_the_consumer_were_lost_a_lost_notification_is_unsure() -> None:
    story = landed().at(4, step_sampled(loops=900), by=D)
    story.hears(Lost(process="D0/0", overwritten=3))
    story.at(9).is_blamed_on(Cause.COMPLETION_LOST).is_unsure("events of D0 were lost")


def test_telemetry_that_raises_is_named_though_the_transfer_finished() -> None:
    story = Story().at(0, *BOTH, *WRITING)
    story.at(0.1, write_failed(stage="telemetry", error="not enabled")).at(0.2, *RECEIVED)
    story.has_ended(Outcome.FINISHED).is_blamed_on(Cause.TELEMETRY_RAISED, "raised not enabled")
    assert story.at(2).engine_causes == {Cause.TELEMETRY_RAISED}


def test_telemetry_that_raised_long_ago_is_no_news_of_the_engine() -> None:
    story = Story().at(0, *BOTH, *WRITING).at(0.1, write_failed(stage="telemetry"))
    assert story.at(0.2, *RECEIVED).at(90).engine_causes == set()


def test_a_write_that_ended_in_an_error_is_not_about_telemetry() -> None:
    story = Story().at(0, *BOTH, *WRITING).at(0.1, write_failed(stage="transfer"))
    assert story.at(9).engine_causes == set()
    story.is_not_blamed_on(Cause.TELEMETRY_RAISED)


def test_telemetry_that_raises_is_named_where_the_consumer_is_not_heard() -> None:
    story = Story().at(0, *PRODUCER_FIRST, *WRITING).at(0.1, write_failed(stage="telemetry"))
    story.at(9).is_blamed_on(Cause.TELEMETRY_RAISED)


def test_a_send_that_is_never_reported_is_blamed_where_the_consumer_is_not_heard() -> None:
    story = Story().at(0, *PRODUCER_FIRST, *WRITING).at(1, write_finished())
    story.at(4, step_sampled(), by=P).at(9).is_blamed_on(Cause.SEND_NEVER_REPORTED).is_unsure()


def test_a_rank_that_made_no_step_had_no_time_to_report_it() -> None:
    story = Story().at(0, *PRODUCER_FIRST, *WRITING).at(1, write_finished())
    story.at(9).is_not_blamed_on(Cause.SEND_NEVER_REPORTED)


def test_a_lease_that_runs_out_long_after_all_landed_tells_of_an_unreported_send() -> None:
    story = Story().at(0, *BOTH, *WRITING).at(1, write_finished(), *RECEIVED)
    story.at(30, lease_expired(), send_reported(), blocks_released())
    story.has_ended(Outcome.FINISHED)
    assert story.at(31).engine_causes == {Cause.SEND_NEVER_REPORTED}


def test_a_send_that_is_reported_tells_of_nothing() -> None:
    story = Story().at(0, *BOTH, *WRITING).at(1, *LANDING)
    assert story.at(31).engine_causes == set()


def test_a_lease_that_runs_out_as_the_write_lands_tells_of_nothing() -> None:
    story = Story().at(0, *BOTH, *WRITING).at(29.9, write_finished(), *RECEIVED)
    story.at(30, lease_expired(), send_reported(), blocks_released())
    assert story.at(31).engine_causes == set()


def held(until: float) -> Story:
    story = Story().at(0, process_started(engine="P0"), by=P)
    story.at(0, *PRODUCER_FIRST)
    return story.at(until, step_sampled(steps=900), by=P)


def test_a_lease_that_outlives_its_end_is_blamed() -> None:
    story = held(36).at(60).is_blamed_on(Cause.LEASE_NEVER_REAPED, "ran out 30.0 s ago")
    story.is_unsure("nothing is heard of D")


def test_it_is_sure_where_the_consumers_are_heard() -> None:
    story = held(36).at(36, process_started(engine="D0"), by=D).at(60)
    assert story.diagnoses()["r1"] is Cause.LEASE_NEVER_REAPED
    story.is_sure()


def test_a_lease_that_was_renewed_is_given_the_time_of_the_last_heartbeat() -> None:
    story = held(36).at(37, lease_renewed(matched=1)).at(60)
    story.is_not_blamed_on(Cause.LEASE_NEVER_REAPED)


def test_a_rank_that_makes_no_steps_reaps_nothing() -> None:
    story = Story().at(0, *PRODUCER_FIRST).at(60)
    story.is_not_blamed_on(Cause.LEASE_NEVER_REAPED)
