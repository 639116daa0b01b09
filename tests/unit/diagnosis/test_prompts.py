"""Stories of legs that carry different prompts."""

from kvtrace.causes import Cause
from kvtrace.events import AnyEvent
from kvtrace.model import Outcome
from tests.unit.samples import (
    CONSUMER_FIRST,
    LANDING,
    PRODUCER_FIRST,
    WRITING,
    blocks_queued,
    match_made,
    prefill_admitted,
    process_started,
    registration_noticed,
    request_admitted,
    write_started,
    writer_failed,
)
from tests.unit.story import D, P, Story

CHOKED = writer_failed(
    request="r1-aaaaaaaa",
    seam="start write",
    error="push block-count mismatch",
    error_type="AssertionError",
)


def refused(asked: int, has: int, *then: AnyEvent) -> Story:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST[:3], blocks_queued(blocks=has))
    story.at(0.1, registration_noticed(blocks=asked), match_made())
    return story.at(0.1, *(then or (CHOKED,)), by=P)


def test_a_consumer_that_asks_for_more_blocks_than_there_are_has_another_prompt() -> None:
    story = refused(9, 7).at(9)
    story.is_blamed_on(Cause.PROMPTS_DIFFER, "D0 asked for 9 blocks, P0 has 7").is_sure()


def test_a_producer_without_any_blocks_has_another_prompt() -> None:
    refused(9, 0, write_started(outcome="empty")).at(9).is_blamed_on(Cause.PROMPTS_DIFFER)


def test_another_error_of_the_writer_says_nothing_of_prompts() -> None:
    error = writer_failed(request="r1-aaaaaaaa", seam="start write", error_type="KeyError")
    refused(9, 7, error).at(9).is_blamed_on(Cause.WRITE_NOT_POSTED)


def test_a_refused_write_of_as_many_blocks_has_another_cause() -> None:
    refused(7, 7).at(9).is_blamed_on(Cause.WRITE_NOT_POSTED)


def test_blocks_of_other_sizes_cannot_be_compared() -> None:
    story = refused(14, 7).at(1, process_started(engine="P0", block_size=32), by=P)
    story.at(1, process_started(engine="D0", block_size=16), by=D)
    story.at(9).is_not_blamed_on(Cause.PROMPTS_DIFFER)


def finished(mine: int, theirs: int) -> Story:
    story = Story().at(0, request_admitted(tokens=mine), *CONSUMER_FIRST[1:])
    story.at(0, prefill_admitted(tokens=theirs), *PRODUCER_FIRST[1:])
    return story.at(0.1, *WRITING, *LANDING).has_ended(Outcome.FINISHED)


def test_a_transfer_between_prompts_of_other_lengths_is_named_though_it_finished() -> None:
    story = finished(mine=100, theirs=98)
    story.is_blamed_on(Cause.PROMPTS_DIFFER, "a prompt of 98 tokens").is_sure()


def test_prompts_of_one_length_are_not_named() -> None:
    finished(mine=100, theirs=100).is_blamed_on()


def test_a_length_that_was_not_told_is_not_compared() -> None:
    finished(mine=0, theirs=98).is_blamed_on()
