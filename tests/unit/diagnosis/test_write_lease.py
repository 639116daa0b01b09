"""Stories of writes from, or into, blocks that were given up."""

from kvtrace.causes import Cause
from kvtrace.model import Outcome
from tests.unit.samples import (
    CONSUMER_FIRST,
    LANDING,
    PRODUCER_FIRST,
    WRITING,
    handshake_started,
    lease_expired,
    match_made,
    process_started,
    receive_failed,
    receive_reported,
    registration_noticed,
    step_sampled,
    tables_sampled,
    write_finished,
    write_posted,
    write_started,
)
from tests.unit.story import P, Story

BOTH = CONSUMER_FIRST + PRODUCER_FIRST
MET = (registration_noticed(), match_made())


def test_a_write_that_lands_after_its_lease_ran_out_is_blamed_though_all_finished() -> None:
    story = Story().at(0, *BOTH, *WRITING).at(30, lease_expired(writes=1)).at(41, *LANDING)
    story.has_ended(Outcome.FINISHED)
    story.is_blamed_on(Cause.LEASE_EXPIRED_DURING_WRITE, "30.0 s after its post").is_sure()


def test_a_write_that_lands_in_time_is_not() -> None:
    story = Story().at(0, *BOTH, *WRITING).at(29, *LANDING).has_ended(Outcome.FINISHED)
    story.is_not_blamed_on(Cause.LEASE_EXPIRED_DURING_WRITE)


def test_a_lease_that_ran_out_with_nothing_under_way_is_not() -> None:
    story = Story().at(0, *BOTH, *WRITING).at(1, write_finished()).at(30, lease_expired(writes=0))
    story.at(31, *LANDING).has_ended(Outcome.FINISHED)
    story.is_not_blamed_on(Cause.LEASE_EXPIRED_DURING_WRITE)


def test_a_write_that_never_lands_is_one_that_outlives_its_lease_in_the_end() -> None:
    story = Story().at(0, *BOTH, *WRITING).at(10, step_sampled(polls=900), by=P)
    story.at(29).is_blamed_on(Cause.WRITE_NEVER_LANDS)
    story.at(30, lease_expired(writes=1)).at(31).is_blamed_on(Cause.LEASE_EXPIRED_DURING_WRITE)


def test_a_lease_that_ran_out_in_a_write_is_said_where_the_consumer_is_not_heard() -> None:
    story = Story().at(0, *PRODUCER_FIRST, *WRITING).at(3, lease_expired(writes=1))
    story.is_blamed_on(Cause.LEASE_EXPIRED_DURING_WRITE, "D0 was not told")


def test_a_write_that_is_posted_after_the_lease_ran_out_is_blamed() -> None:
    story = Story().at(0, *BOTH, *MET, write_started(outcome="deferred"))
    story.at(30, lease_expired()).at(41, write_posted(), write_started(ordinal=1)).at(42, *LANDING)
    story.has_ended(Outcome.FINISHED)
    story.is_blamed_on(Cause.WRITE_AFTER_LEASE, "11.0 s later").is_sure()


def test_the_same_is_said_while_it_still_waits() -> None:
    story = Story().at(0, *BOTH, *MET, write_started(outcome="deferred"))
    story.at(30, lease_expired()).at(41, write_posted(), write_started(ordinal=1))
    story.at(50).is_blamed_on(Cause.WRITE_AFTER_LEASE)


def test_a_deferred_write_within_its_lease_is_healthy() -> None:
    story = Story().at(0, *BOTH, *MET, write_started(outcome="deferred"))
    story.at(1, write_posted(), write_started(ordinal=1)).at(1.1, *LANDING)
    story.is_blamed_on()


def test_where_the_end_of_the_lease_was_not_heard_nothing_is_said_of_it() -> None:
    story = Story().at(0, *BOTH, *MET).at(31, write_posted()).at(32, *LANDING)
    story.is_not_blamed_on(Cause.WRITE_AFTER_LEASE)


def test_a_receive_given_up_while_a_write_runs_is_blamed() -> None:
    story = Story().at(0, *BOTH, *WRITING)
    story.at(2, receive_reported(failed=True), receive_failed()).has_ended(Outcome.FAILED)
    story.is_blamed_on(Cause.BLOCKS_REUSED, "P0 rank 0 still wrote into them")


def test_a_receive_given_up_after_the_write_landed_is_not() -> None:
    story = Story().at(0, *BOTH, *WRITING).at(1, write_finished())
    story.at(2, receive_reported(failed=True), receive_failed())
    story.is_not_blamed_on(Cause.BLOCKS_REUSED)


def test_a_receive_given_up_before_anything_was_written_is_not() -> None:
    story = Story().at(0, *BOTH, *MET).at(2, receive_reported(failed=True), receive_failed())
    story.is_not_blamed_on(Cause.BLOCKS_REUSED)


def test_a_second_handshake_with_the_same_peer_in_a_write_tells_of_an_eviction() -> None:
    story = Story().at(0, process_started(engine="P0", facts={"engine_ttl": "2.0"}), by=P)
    story.at(0, *BOTH, *WRITING)
    story.at(3, handshake_started(request="r9-aaaaaaaa", side="P", peer="D0"), by=P)
    story.at(9).is_blamed_on(Cause.PEER_EVICTED, "dropped D0 from its peers").is_sure()
    assert "now 2 s" in story.diagnosis.remedy  # type: ignore[union-attr]


def test_no_peer_left_tells_of_it_too() -> None:
    story = Story().at(0, *BOTH, *WRITING).at(0.1, tables_sampled(sizes={"peers": 1}), by=P)
    story.at(3, tables_sampled(sizes={"peers": 0}), by=P).at(9).is_blamed_on(Cause.PEER_EVICTED)


def test_a_handshake_with_another_peer_does_not() -> None:
    story = Story().at(0, *BOTH, *WRITING)
    story.at(3, handshake_started(request="r9-aaaaaaaa", side="P", peer="D1"), by=P)
    story.at(9).is_not_blamed_on(Cause.PEER_EVICTED)


def test_a_handshake_before_the_post_does_not() -> None:
    story = Story().at(0, handshake_started(request="r1-aaaaaaaa", side="P", peer="D0"), by=P)
    story.at(0.1, *BOTH, *WRITING).at(9).is_not_blamed_on(Cause.PEER_EVICTED)
