"""Stories of writes that were not posted, failed, or never landed."""

import pytest

from kvtrace.causes import Cause
from kvtrace.model import Outcome
from tests.unit.samples import (
    CONSUMER_FIRST,
    LANDING,
    PRODUCER_FIRST,
    WRITING,
    lease_expired,
    match_made,
    notification_noticed,
    process_started,
    registration_noticed,
    step_sampled,
    write_failed,
    write_started,
    writer_failed,
)
from tests.unit.story import D, P, Story

BOTH = CONSUMER_FIRST + PRODUCER_FIRST


def met() -> Story:
    return Story().at(0, *BOTH, registration_noticed(), match_made())


@pytest.mark.parametrize("stage", ["prepare", "post"])
def test_a_write_that_could_not_be_posted_is_blamed_with_its_error(stage: str) -> None:
    story = met().at(0, process_started(engine="P0"), by=P)
    story.at(0.1, write_failed(stage=stage, error="no handle"), write_started(outcome="raised"))
    story.at(9).is_blamed_on(Cause.WRITE_NOT_POSTED, "P0 rank 0 could not post its write to D0")
    assert story.is_sure().diagnosis is not None
    assert "no handle; D0 was not told" in story.diagnosis.sentence  # type: ignore[union-attr]
    assert "now 30 s" in story.diagnosis.remedy  # type: ignore[union-attr]


def test_a_writer_that_chokes_on_the_write_itself_did_not_post_it() -> None:
    story = met().at(0.1, write_started(outcome="raised", error="KeyError: 'decode_host'"))
    story.at(9).is_blamed_on(Cause.WRITE_NOT_POSTED, "KeyError")


def test_what_the_writer_says_of_its_error_counts_first() -> None:
    failed = writer_failed(request="r1-aaaaaaaa", seam="start write", error_type="KeyError")
    story = met().at(0.1, failed, by=P).at(9)
    story.is_blamed_on(Cause.WRITE_NOT_POSTED, "KeyError")


def test_a_write_that_waits_for_its_handshake_is_not_one_that_was_not_posted() -> None:
    story = met().at(0.1, write_started(outcome="deferred")).at(9)
    story.is_not_blamed_on(Cause.WRITE_NOT_POSTED)


def test_the_same_is_said_where_the_consumer_is_not_heard() -> None:
    story = Story().at(0, *PRODUCER_FIRST, registration_noticed(), match_made())
    story.at(0.1, write_failed(stage="post", error="gone"))
    story.at(30, lease_expired()).has_ended(Outcome.FAILED)
    story.is_blamed_on(Cause.WRITE_NOT_POSTED, "gone").is_sure()


def test_a_write_that_ended_in_an_error_is_blamed_with_its_age() -> None:
    story = Story().at(0, *BOTH, *WRITING)
    story.at(0.012, write_failed(stage="transfer", error="ERR"))
    story.at(9).is_blamed_on(Cause.WRITE_FAILED, "ended in ERR, 12.0 ms after its post").is_sure()


def test_a_write_that_failed_by_its_telemetry_alone_is_no_failed_write() -> None:
    story = Story().at(0, *BOTH, *WRITING).at(0.01, write_failed(stage="telemetry"))
    story.at(9).is_not_blamed_on(Cause.WRITE_FAILED)


def stuck(by_now: float = 41.6) -> Story:
    story = Story().at(0, *BOTH, *WRITING)
    story.at(10, step_sampled(polls=900), by=P).at(10, step_sampled(), by=D)
    return story.at(by_now)


def test_a_posted_write_that_neither_lands_nor_fails_is_blamed() -> None:
    story = stuck(29).is_blamed_on(Cause.WRITE_NEVER_LANDS, "P0 rank 0 posted its write to D0")
    story.is_sure()


def test_a_posted_write_is_given_five_seconds() -> None:
    story = Story().at(0, *BOTH, *WRITING).at(2, step_sampled(polls=9), by=P)
    story.at(4).is_blamed_on()


def test_a_write_that_the_consumer_knows_to_have_landed_did_land() -> None:
    story = Story().at(0, *BOTH, *WRITING, notification_noticed())
    story.at(10, step_sampled(polls=900), by=P)
    story.at(20).is_not_blamed_on(Cause.WRITE_NEVER_LANDS)


def test_a_producer_that_did_not_look_says_nothing_of_its_writes() -> None:
    story = Story().at(0, *BOTH, *WRITING).at(19, step_sampled(polls=0), by=P)
    story.at(20).is_blamed_on(Cause.UNEXPLAINED)


def test_a_consumer_that_is_frozen_is_another_matter() -> None:
    story = stuck(20).watched(D, frozen=True).at(20.1)
    story.is_not_blamed_on(Cause.WRITE_NEVER_LANDS)


def test_where_the_consumer_is_not_heard_a_write_that_never_lands_is_unsure() -> None:
    story = Story().at(0, *PRODUCER_FIRST, *WRITING).at(10, step_sampled(polls=9), by=P)
    story.at(20).is_blamed_on(Cause.WRITE_NEVER_LANDS).is_unsure("nothing is heard of D0")


def test_a_healthy_transfer_has_no_cause() -> None:
    story = Story().at(0, *BOTH, *WRITING).at(0.1, *LANDING)
    story.has_ended(Outcome.FINISHED).is_blamed_on()
