"""Stories of legs that carry two ids, and of legs that are sent one after the other."""

import msgspec

from kvtrace.causes import Cause
from kvtrace.events import AnyEvent
from kvtrace.moments import Lost
from tests.unit.samples import (
    CONSUMER_FIRST,
    LANDING,
    P_REQUEST,
    PRODUCER_FIRST,
    WHOLE,
    WRITING,
    blocks_ready,
    leg_sent,
    load_decided,
    prefill_admitted,
    registration_noticed,
    registration_queued,
    registration_sent,
    registration_shipped,
    registration_staged,
    request_admitted,
    request_finished,
    step_sampled,
)
from tests.unit.story import ROUTER, SECOND, D, Story

OTHER = "cmpl-q7-0-bbbbbbbb"
MINE = "cmpl-q4-0-aaaaaaaa"


def asking(request: str, tokens: int = 100, remote: str = "q7") -> tuple[AnyEvent, ...]:
    """A consumer's half until its registration is on its way."""
    return (
        request_admitted(request=request, tokens=tokens, remote_request=remote),
        load_decided(request=request),
        registration_staged(request=request),
        registration_shipped(request=request),
        registration_queued(request=request),
        registration_sent(request=request),
        registration_noticed(remote_request=request),
    )


def holding(request: str, tokens: int = 100) -> tuple[AnyEvent, ...]:
    """A producer's half until its blocks wait to be written."""
    held = [msgspec.structs.replace(one, request=request) for one in PRODUCER_FIRST[1:]]
    return (prefill_admitted(request=request, tokens=tokens), *held)


def test_legs_of_one_request_with_two_ids_are_found_from_both_sides() -> None:
    story = Story().at(0, *asking(OTHER)).at(1, *holding(MINE)).at(8).at(31)
    assert set(story.diagnoses().values()) == {Cause.LEGS_DIFFER_IN_ID}


def test_where_only_length_and_time_are_alike_it_is_unsure() -> None:
    story = Story().at(0, *asking(OTHER)).at(1, *holding(MINE)).at(31)
    for found in story.snapshot.diagnoses.values():
        assert "length" in found.doubt


def test_an_id_that_only_the_route_has_changed_is_certain() -> None:
    story = Story().at(0, *asking("chatcmpl-q4-bbbbbbbb", tokens=120)).at(1, *holding(MINE)).at(31)
    found = story.snapshot.diagnoses
    assert {one.cause for one in found.values()} == {Cause.LEGS_DIFFER_IN_ID}
    assert {one.doubt for one in found.values()} == {""}


def test_an_id_that_the_consumer_was_told_of_is_certain() -> None:
    story = Story().at(0, *asking(OTHER, tokens=0, remote="q4")).at(1, *holding(MINE)).at(31)
    assert {one.doubt for one in story.snapshot.diagnoses.values()} == {""}


def test_two_requests_of_other_lengths_have_each_its_own_cause() -> None:
    story = Story().at(0, *asking(OTHER)).at(1, *holding(MINE, tokens=7)).at(31)
    assert Cause.LEGS_DIFFER_IN_ID not in story.diagnoses().values()


def test_two_requests_of_other_times_have_too() -> None:
    story = Story().at(0, *asking(OTHER)).at(20, *holding(MINE)).at(31)
    assert Cause.LEGS_DIFFER_IN_ID not in story.diagnoses().values()


def test_one_that_was_given_up_asks_for_nothing_any_more() -> None:
    given_up = request_finished(request=OTHER, status="FINISHED_ABORTED", parked=True)
    story = Story().at(0, *asking(OTHER)).at(0.5, given_up).at(1, *holding(MINE)).at(31)
    assert Cause.LEGS_DIFFER_IN_ID not in story.diagnoses().values()


def test_where_the_consumer_is_not_heard_nothing_is_invented() -> None:
    story = Story().at(0, registration_noticed(remote_request=OTHER)).at(1, *holding(MINE)).at(31)
    assert Cause.LEGS_DIFFER_IN_ID not in story.diagnoses().values()


def test_where_events_were_lost_they_may_have_met() -> None:
    story = Story().at(0, *asking("chatcmpl-q4-bbbbbbbb")).at(1, *holding(MINE))
    story.hears(Lost(process="P0/0", overwritten=1)).at(31)
    assert {one.doubt for one in story.snapshot.diagnoses.values()} == {"events of P0 were lost"}


def late_leg(remote: str = "r1") -> Story:
    """The consumer learns of it three seconds after the blocks were ready."""
    story = Story().at(0, prefill_admitted()).at(1, *PRODUCER_FIRST[1:])
    return story.at(4, request_admitted(remote_request=remote), *CONSUMER_FIRST[1:])


def lands(story: Story) -> Story:
    return story.at(4.1, *WRITING).at(4.2, *LANDING)


def test_a_leg_that_comes_long_after_the_blocks_is_named() -> None:
    story = lands(late_leg(remote=P_REQUEST))
    story.is_blamed_on(Cause.LEGS_IN_SEQUENCE, "D0 heard of the request 3.00 s after").is_sure()


def test_where_no_router_speaks_and_the_id_does_not_tell_it_is_unsure() -> None:
    lands(late_leg()).is_blamed_on(Cause.LEGS_IN_SEQUENCE).is_unsure("front end can have kept it")


def test_a_router_that_sent_the_leg_in_time_is_not_blamed_for_it() -> None:
    story = Story().at(0, leg_sent(request="r1", role_sent="D"), by=ROUTER)
    story.at(0, prefill_admitted()).at(1, *PRODUCER_FIRST[1:]).at(4, *CONSUMER_FIRST)
    lands(story).is_blamed_on(None)


def test_a_router_that_sent_it_late_is() -> None:
    story = late_leg().at(3.9, leg_sent(request="r1", role_sent="D"), by=ROUTER)
    lands(story).is_blamed_on(Cause.LEGS_IN_SEQUENCE).is_sure()


def test_a_consumer_that_was_in_a_long_step_is_what_kept_the_leg() -> None:
    story = late_leg().at(4, step_sampled(window=5 * SECOND, longest=3 * SECOND), by=D)
    lands(story).is_blamed_on(None)


def test_a_long_step_in_which_it_sent_the_registration_came_afterwards() -> None:
    story = Story().at(0, *PRODUCER_FIRST).at(3, *CONSUMER_FIRST[:-1])
    story.at(5, registration_sent(took=2 * SECOND), *WRITING)
    story.at(5.1, step_sampled(window=5 * SECOND, longest=2 * SECOND + 1_000_000), by=D)
    story.at(5.2, *LANDING).is_blamed_on(Cause.LEGS_IN_SEQUENCE)


def test_what_the_prefill_would_have_hidden_counts_too() -> None:
    asked = request_admitted(remote_request=P_REQUEST)
    story = Story().at(0, prefill_admitted()).at(2, *PRODUCER_FIRST[1:]).at(2.1, asked)
    story.at(2.1, load_decided()).at(3, *CONSUMER_FIRST[2:]).at(3.1, *WRITING).at(3.2, *LANDING)
    story.is_blamed_on(Cause.LEGS_IN_SEQUENCE)


def test_a_leg_that_comes_right_after_the_blocks_costs_nothing() -> None:
    story = Story().at(0, prefill_admitted()).at(1, *PRODUCER_FIRST[1:]).at(1.1, *CONSUMER_FIRST)
    story.at(1.2, *WRITING).at(1.3, *LANDING).is_blamed_on(None)


def test_a_leg_that_costs_less_than_a_second_is_not_worth_a_word() -> None:
    for late, cause in ((0.9, None), (1.1, Cause.LEGS_IN_SEQUENCE)):
        story = Story().at(0, prefill_admitted()).at(0.02, *PRODUCER_FIRST[1:])
        story.at(0.02 + late, *CONSUMER_FIRST, *WRITING, *LANDING).is_blamed_on(cause)


def test_legs_beside_each_other_are_not_in_sequence() -> None:
    story = Story().at(0, *CONSUMER_FIRST[:1], prefill_admitted()).at(1, *PRODUCER_FIRST[1:])
    story.at(1.8, *CONSUMER_FIRST[1:]).at(1.9, *WRITING).at(2, *LANDING).is_blamed_on(None)


def test_where_the_producers_half_is_not_heard_nobody_knows() -> None:
    told = [one for one in WHOLE if one.role is not blocks_ready().role]
    Story().at(0, *told).is_blamed_on(None)
