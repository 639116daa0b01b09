"""Stories of processes that died, were shut down, or do not run."""

from kvtrace.causes import Cause
from kvtrace.model import SCHEDULER, Outcome
from tests.unit.samples import (
    CONSUMER_FIRST,
    LANDING,
    PRODUCER_FIRST,
    WHOLE,
    WRITING,
    prefill_admitted,
    process_started,
    process_stopped,
    receive_reported,
    registration_noticed,
    request_finished,
)
from tests.unit.story import D, Engine, P, Story

BEGUN = (*CONSUMER_FIRST, prefill_admitted(), registration_noticed())
P_AGAIN = Engine(name="P0", role=P.role, restarts=1)


def test_a_producer_that_died_is_blamed_for_the_wait() -> None:
    story = Story().at(0, *BEGUN).at(1).dies(P).at(40)
    story.is_blamed_on(Cause.PRODUCER_DIED, "P0 scheduler is gone without a goodbye").is_sure()


def test_one_dead_rank_is_enough_and_is_named() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, *WRITING).dies(P, rank=0).at(9)
    story.is_blamed_on(Cause.PRODUCER_DIED, "P0 rank 0 is gone")


def test_one_that_died_when_its_writes_had_landed_is_not() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, *WRITING, *LANDING[:2])
    story.at(1).dies(P, rank=0).at(9).is_not_blamed_on(Cause.PRODUCER_DIED)


def test_one_that_died_and_came_back_under_its_id_is_blamed_for_what_it_had_begun() -> None:
    story = Story().at(0, *BEGUN).at(1).dies(P).dies(P, rank=0)
    story.at(2, prefill_admitted(request="r2-cccccccc"), by=P_AGAIN).at(40)
    assert story.diagnoses()["r1"] is Cause.PRODUCER_DIED


def test_one_that_said_goodbye_is_not_said_to_have_died() -> None:
    story = Story().at(0, *BEGUN).at(1, process_stopped(), rank=SCHEDULER, by=P)
    story.at(1, process_stopped(), by=P).dies(P, goodbye=True).dies(P, rank=0, goodbye=True)
    story.at(40).is_blamed_on(Cause.PRODUCER_SHUT_DOWN, "P0 was shut down")


def test_a_producer_whose_worker_left_first_is_being_shut_down() -> None:
    story = Story().at(0, *BEGUN).at(0, process_started(), rank=SCHEDULER, by=P)
    story.at(1, process_stopped(), by=P).dies(P, rank=0, goodbye=True)
    story.at(40).is_blamed_on(Cause.PRODUCER_SHUT_DOWN, "P0 was shut down")


def test_a_producer_that_nobody_watches_is_not_said_to_have_died() -> None:
    story = Story().at(0, *CONSUMER_FIRST).at(40)
    story.is_not_blamed_on(Cause.PRODUCER_DIED).is_not_blamed_on(Cause.PRODUCER_SHUT_DOWN)
    story.is_unsure("nothing is heard of P0")


def test_one_that_was_shut_down_later_did_not_end_what_was_over() -> None:
    story = Story().at(0, *CONSUMER_FIRST[:2], prefill_admitted())
    story.at(1, request_finished(status="FINISHED_ABORTED"))
    story.at(2, process_stopped(), by=P).dies(P, goodbye=True)
    story.has_ended(Outcome.ABANDONED).is_not_blamed_on(Cause.PRODUCER_SHUT_DOWN)


def test_a_consumer_that_died_is_blamed() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, *WRITING).at(1).dies(D).at(9)
    story.is_blamed_on(Cause.CONSUMER_DIED, "D0 scheduler is gone").is_sure()


def test_a_consumer_that_lives_is_not() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, *WRITING).watched(D).at(9)
    story.is_not_blamed_on(Cause.CONSUMER_DIED)


def test_an_engine_that_is_stopped_is_blamed_where_it_has_to_act() -> None:
    story = Story().at(0, *BEGUN).at(1).watched(P, frozen=True).at(40)
    story.is_blamed_on(Cause.ENGINE_FROZEN, "P0 scheduler is there and does not run").is_sure()


def test_a_stopped_consumer_is_blamed_for_a_write_that_does_not_land() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, *WRITING)
    story.at(1).watched(D, rank=0, frozen=True).watched(P).at(9)
    story.is_blamed_on(Cause.ENGINE_FROZEN, "D0 rank 0 is there")


def test_an_engine_that_goes_on_is_not_said_to_be_frozen() -> None:
    story = Story().at(0, *BEGUN).watched(P, frozen=True).at(30).watched(P).at(40)
    story.is_not_blamed_on(Cause.ENGINE_FROZEN)


def test_one_that_nobody_looked_at_is_not_either() -> None:
    Story().at(0, *BEGUN).at(40).is_not_blamed_on(Cause.ENGINE_FROZEN)


def test_a_finished_transfer_is_not_blamed_on_who_died_after_it() -> None:
    Story().at(0, *WHOLE).at(1).dies(P).dies(D).is_blamed_on(None)


def test_a_rank_that_has_reported_and_died_does_not_matter_to_its_producer() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, *WRITING, *LANDING[:5])
    story.at(0, receive_reported()).dies(P, rank=0).at(9).is_not_blamed_on(Cause.PRODUCER_DIED)
