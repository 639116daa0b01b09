"""Stories of ranks that wrote nothing while their siblings did."""

from kvtrace.causes import Cause
from kvtrace.moments import Lost
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    WRITING,
    blocks_queued,
    completion_counted,
    match_made,
    notification_noticed,
    registration_noticed,
    registration_sent,
    write_failed,
    write_finished,
    write_posted,
)
from tests.unit.story import P, Story


def one_of_two() -> Story:
    story = Story().at(0, *CONSUMER_FIRST, registration_sent(peer_rank=1))
    story.at(0, *PRODUCER_FIRST).at(0, blocks_queued(), rank=1)
    return story.at(0.1, *WRITING).at(
        0.2, write_finished(), notification_noticed(), completion_counted(needed=2)
    )


def test_the_rank_that_did_not_write_is_named_with_its_last_word() -> None:
    story = one_of_two().at(0.1, registration_noticed(peer="b"), rank=1).at(9)
    story.is_blamed_on(Cause.RANK_NEVER_WROTE, "1 of 2 writes were posted; P0 rank 1 did not")
    story.is_sure()
    assert "it noticed the registration" in story.diagnosis.sentence  # type: ignore[union-attr]


def test_a_rank_that_told_nothing_is_named_too() -> None:
    story = Story().at(0, *CONSUMER_FIRST, registration_sent(peer_rank=1), *PRODUCER_FIRST)
    story.at(0.1, *WRITING).at(0.2, write_finished()).at(9)
    story.is_blamed_on(Cause.RANK_NEVER_WROTE, "it told nothing of it")


def test_the_ranks_own_cause_wins() -> None:
    story = one_of_two().at(0.1, match_made(), write_failed(stage="post", error="x"), rank=1)
    story.at(9).is_blamed_on(Cause.WRITE_NOT_POSTED, "P0 rank 1")


def test_a_rank_that_posted_is_not_silent() -> None:
    story = one_of_two().at(0.1, match_made(), write_posted(), rank=1)
    story.at(9).is_not_blamed_on(Cause.RANK_NEVER_WROTE)


def test_ranks_that_all_wait_are_not_silent_ones() -> None:
    story = Story().at(0, *CONSUMER_FIRST, registration_sent(peer_rank=1), *PRODUCER_FIRST)
    story.at(9).is_not_blamed_on(Cause.RANK_NEVER_WROTE)


def test_where_events_of_the_producer_were_lost_it_is_unsure() -> None:
    story = one_of_two().hears(Lost(process="P0/1", overwritten=3)).at(0.3, by=P)
    story.at(0.3, registration_noticed(peer="b"), rank=1).at(9)
    story.is_blamed_on(Cause.RANK_NEVER_WROTE).is_unsure("events of P0 were lost")
