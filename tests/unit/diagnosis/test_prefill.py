"""Stories of prefills that never began, never end, or went on."""

import pytest

from kvtrace.causes import Cause
from kvtrace.events import AnyEvent
from kvtrace.moments import Lost
from tests.unit.samples import (
    CONSUMER_FIRST,
    LANDING,
    WRITING,
    blocks_queued,
    blocks_ready,
    lease_granted,
    leg_sent,
    prefill_admitted,
    registration_noticed,
    request_admitted,
    step_sampled,
)
from tests.unit.story import ROUTER, SECOND, P, Story

BEGUN = (*CONSUMER_FIRST, registration_noticed(), prefill_admitted(tokens=100))


def prefilled(story: Story, name: str, at: float, took: float, queued: float = 0) -> Story:
    """Another request's prefill."""
    asked = prefill_admitted(request=name, tokens=100, queued=round(queued * SECOND))
    return story.at(at, asked).at(at + took, blocks_ready(request=name, held=False))


def test_a_prefill_that_others_overtook_never_came() -> None:
    story = Story().at(0, *CONSUMER_FIRST, registration_noticed())
    prefilled(story, "r2-cccccccc", 10, 1).at(35)
    assert story.diagnoses()["r1"] is Cause.PREFILL_NEVER_CAME
    story.is_sure()


def test_one_on_an_engine_that_computes_nothing_never_came() -> None:
    story = Story().at(-9, step_sampled(forwards=3), by=P)
    story.at(0, *CONSUMER_FIRST, registration_noticed()).at(35)
    story.is_blamed_on(Cause.PREFILL_NEVER_CAME, "D0 registered with P0 35.0 s ago").is_sure()


def test_a_prefill_that_only_queues_is_not_said_to_have_never_come() -> None:
    story = Story().at(0, *CONSUMER_FIRST, registration_noticed())
    story.at(20, step_sampled(forwards=9), by=P).at(35).is_blamed_on(Cause.UNEXPLAINED)


def test_nor_is_one_behind_another_that_came_before_it() -> None:
    story = Story().at(0, *CONSUMER_FIRST, registration_noticed())
    story.at(9, prefill_admitted(request="r2-cccccccc", queued=10 * SECOND)).at(35)
    assert story.diagnoses()["r1"] is Cause.UNEXPLAINED


def test_where_the_producer_is_not_heard_nobody_knows_whether_it_was_asked() -> None:
    story = Story().at(0, *CONSUMER_FIRST).at(35)
    story.is_blamed_on(Cause.UNEXPLAINED).is_unsure("nothing is heard of P0")


def test_where_events_of_the_producer_were_lost_it_is_unsure() -> None:
    story = Story().at(0, *CONSUMER_FIRST, registration_noticed())
    story.hears(Lost(process="P0/0", overwritten=1)).at(35)
    story.is_blamed_on(Cause.PREFILL_NEVER_CAME).is_unsure("events of P0 were lost")


def test_where_the_router_sent_the_leg_it_did_come() -> None:
    story = Story().at(0, *CONSUMER_FIRST, registration_noticed())
    story.at(0, leg_sent(request="r1"), by=ROUTER).at(35)
    story.is_not_blamed_on(Cause.PREFILL_NEVER_CAME)


def test_a_prefill_that_no_step_follows_never_finishes() -> None:
    story = prefilled(Story(), "r2-cccccccc", -9, 1).at(0, *BEGUN)
    story.at(1, step_sampled(forwards=1), by=P)
    story.at(40).is_blamed_on(Cause.PREFILL_NEVER_FINISHES, "100 tokens 40.0 s ago").is_sure()


def test_the_first_prefill_of_all_can_be_a_slow_one() -> None:
    story = Story().at(0, *BEGUN).at(1, step_sampled(forwards=1), by=P)
    story.at(40).is_blamed_on(Cause.PREFILL_NEVER_FINISHES).is_unsure("the first prefill of P0")


def test_a_prefill_that_takes_far_longer_than_others_never_finishes() -> None:
    story = Story()
    for number in range(6):
        prefilled(story, f"q{number}-cccccccc", number - 9, 0.5)
    story.at(0, *BEGUN).at(60, step_sampled(forwards=9), by=P)
    story.is_blamed_on(Cause.PREFILL_NEVER_FINISHES)


def test_one_that_takes_its_time_while_the_engine_steps_does_not() -> None:
    story = Story().at(0, *BEGUN).at(60, step_sampled(forwards=9), by=P)
    story.is_not_blamed_on(Cause.PREFILL_NEVER_FINISHES)


def test_where_samples_were_lost_silence_says_nothing() -> None:
    story = Story().at(0, *BEGUN).at(1, step_sampled(forwards=1), by=P)
    story.hears(Lost(process="P0/0", overwritten=1)).at(40)
    story.is_not_blamed_on(Cause.PREFILL_NEVER_FINISHES)


def landed(story: Story, at: float, computed: int) -> Story:
    held: tuple[AnyEvent, ...] = (blocks_queued(), lease_granted(), *WRITING, *LANDING)
    return story.at(at, blocks_ready(computed=computed), *held)


def test_a_producer_that_decoded_on_is_named() -> None:
    story = landed(Story().at(0, *BEGUN), 5, 160)
    story.is_blamed_on(Cause.PREFILL_DECODED_ON, "P0 decoded 60 tokens after the prompt").is_sure()


@pytest.mark.parametrize("computed", [99, 100, 102])
def test_a_producer_that_computed_the_prompt_is_not(computed: int) -> None:
    landed(Story().at(0, *BEGUN), 5, computed).is_blamed_on(None)


def test_where_the_prompt_is_not_known_nobody_knows() -> None:
    story = Story().at(0, request_admitted(), *CONSUMER_FIRST[1:], registration_noticed())
    landed(story.at(0, prefill_admitted(tokens=0)), 5, 160).is_blamed_on(None)
