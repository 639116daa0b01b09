"""Stories of a rank that stands still: while NIXL takes one write, or just so."""

from kvtrace.causes import Cause
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    match_made,
    registration_noticed,
    step_sampled,
    write_posted,
)
from tests.unit.story import P, Story


def posting(*, samples: bool = True) -> Story:
    """P matched both sides of r1, and was not heard of since."""
    story = Story()
    if samples:
        story.at(0, step_sampled(loops=40), by=P)
    return story.at(0.1, *CONSUMER_FIRST, *PRODUCER_FIRST, registration_noticed(), match_made())


def test_a_rank_that_tells_of_nothing_since_it_began_to_post_stands_still() -> None:
    posting().at(6).is_blamed_on(Cause.WRITER_STARVED, "has been posting this write for 5.90 s")


def test_one_whose_rank_posts_the_write_of_another_waits_for_that() -> None:
    story = Story().at(0, step_sampled(loops=40), by=P).at(0.1, *CONSUMER_FIRST, *PRODUCER_FIRST)
    story.at(0.2, match_made(request="r2-cccccccc", remote_request="r2-dddddddd"))
    assert story.at(6).diagnoses()["r1"] is Cause.WRITER_STARVED


def test_a_rank_that_goes_on_stepping_does_not_stand_still() -> None:
    story = posting().at(5.5, step_sampled(window=5 * 10**9, steps=50, loops=40), by=P)
    story.at(6).is_not_blamed_on(Cause.WRITER_STARVED)


def test_a_write_that_was_posted_is_not_being_posted() -> None:
    posting().at(0.2, write_posted()).at(6).is_not_blamed_on(Cause.WRITER_STARVED)


def test_nothing_is_said_of_a_rank_whose_steps_nobody_samples() -> None:
    posting(samples=False).at(6).is_not_blamed_on(Cause.WRITER_STARVED)


def silent_since(second: float) -> Story:
    """P posted the write of r1, told of its steps, and then of nothing."""
    return posting().at(0.2, write_posted()).at(second, step_sampled(loops=9), by=P)


def test_a_rank_that_told_of_steps_and_tells_of_nothing_any_more_stands_still() -> None:
    story = silent_since(0.5).at(29)
    story.is_blamed_on(Cause.WAITS_FOR_ENGINE_STEPS, "has told of nothing for 28.5 s")


def test_a_rank_that_told_of_steps_just_now_does_not() -> None:
    silent_since(28).at(29).is_not_blamed_on(Cause.WAITS_FOR_ENGINE_STEPS)


def test_a_rank_of_which_nobody_samples_steps_may_be_well() -> None:
    story = posting(samples=False).at(0.2, write_posted())
    story.at(29).is_not_blamed_on(Cause.WAITS_FOR_ENGINE_STEPS)
