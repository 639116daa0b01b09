"""Stories of two requests that go by one id."""

from kvtrace.causes import Cause
from tests.unit.samples import (
    CONSUMER_FIRST,
    LANDING,
    PRODUCER_FIRST,
    WHOLE,
    blocks_ready,
    load_decided,
    match_made,
    prefill_admitted,
    registration_noticed,
    registration_queued,
    registration_sent,
    registration_staged,
    request_admitted,
    write_posted,
    write_started,
)
from tests.unit.story import Story

TWIN = "r1-cccccccc"
TWINS_LEG = (
    request_admitted(request=TWIN, tokens=60),
    load_decided(request=TWIN),
    registration_staged(request=TWIN),
    registration_queued(request=TWIN),
    registration_sent(request=TWIN),
    registration_noticed(remote_request=TWIN),
)


def test_the_one_whose_blocks_went_to_its_twin_is_told_so() -> None:
    story = Story().at(0, *CONSUMER_FIRST, registration_noticed(), *TWINS_LEG, *PRODUCER_FIRST)
    story.at(1, match_made(), write_posted(), write_started(), *LANDING).at(40)
    assert story.diagnoses()[TWIN] is Cause.TWO_REQUESTS_ONE_ID
    story.is_sure()


def test_one_that_takes_its_turn_after_another_of_its_id_is_not() -> None:
    story = Story().at(0, *WHOLE).at(5, *TWINS_LEG).at(45)
    assert Cause.TWO_REQUESTS_ONE_ID not in story.diagnoses().values()


def test_one_that_comes_when_its_own_blocks_went_to_a_shorter_twin_is_told_so() -> None:
    story = Story().at(0, request_admitted(tokens=60), *CONSUMER_FIRST[1:])
    story.at(0, prefill_admitted(tokens=100), *PRODUCER_FIRST[1:], registration_noticed())
    story.at(0, match_made(), write_posted(), write_started(), *LANDING)
    story.at(5, request_admitted(request=TWIN, tokens=100), *TWINS_LEG[1:]).at(45)
    assert story.diagnoses()[TWIN] is Cause.TWO_REQUESTS_ONE_ID
    (found,) = story.snapshot.diagnoses.values()
    assert "the blocks were of 100, and went to a prompt of 60" in found.evidence[-1].text


def test_a_finished_one_that_took_the_blocks_of_a_longer_prompt_is_named() -> None:
    story = Story().at(0, request_admitted(tokens=60), *CONSUMER_FIRST[1:])
    story.at(0, prefill_admitted(tokens=100), *PRODUCER_FIRST[1:], registration_noticed())
    story.at(0, match_made(candidates=2), write_posted(), write_started(), *LANDING)
    says = "P0 computed 100 tokens, D0 has a prompt of 60"
    story.is_blamed_on(Cause.TWO_REQUESTS_ONE_ID, says).is_sure()


def test_two_of_one_length_leave_a_doubt() -> None:
    story = Story().at(0, request_admitted(tokens=100), *CONSUMER_FIRST[1:])
    story.at(0, prefill_admitted(tokens=100), *PRODUCER_FIRST[1:], registration_noticed())
    story.at(0, match_made(candidates=2), write_posted(), write_started(), *LANDING)
    story.is_blamed_on(Cause.TWO_REQUESTS_ONE_ID).is_unsure("equally long")


def test_the_one_that_was_left_the_wrong_blocks_is_named_too() -> None:
    story = Story().at(0, request_admitted(tokens=100), *CONSUMER_FIRST[1:], *TWINS_LEG)
    story.at(0, prefill_admitted(tokens=60), *PRODUCER_FIRST[1:], registration_noticed())
    story.at(1, match_made(candidates=2))
    other = "r1-dddddddd"
    story.at(2, prefill_admitted(request=other, tokens=100), blocks_ready(request=other))
    story.at(2, match_made(request=other, remote_request=TWIN)).at(9)
    assert set(story.diagnoses().values()) == {Cause.TWO_REQUESTS_ONE_ID}


def test_prompts_that_differ_without_a_twin_are_another_matter() -> None:
    story = Story().at(0, request_admitted(tokens=60), *CONSUMER_FIRST[1:])
    story.at(0, prefill_admitted(tokens=100), *PRODUCER_FIRST[1:], registration_noticed())
    story.at(0, match_made(), write_posted(), write_started(), *LANDING)
    story.is_not_blamed_on(Cause.TWO_REQUESTS_ONE_ID)


def test_a_match_by_the_whole_id_is_right_however_many_wait() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, registration_noticed())
    story.at(0, match_made(candidates=2, exact=True), write_posted(), write_started(), *LANDING)
    story.is_blamed_on(None)


def test_twins_that_both_wait_are_named_where_nothing_better_is_known() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *TWINS_LEG[:5], *PRODUCER_FIRST).at(40)
    assert set(story.diagnoses().values()) == {Cause.TWO_REQUESTS_ONE_ID}
    for found in story.snapshot.diagnoses.values():
        assert found.doubt == "nothing tells which of them belong together"
