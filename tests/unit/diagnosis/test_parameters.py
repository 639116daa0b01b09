"""Stories of routers that tell the consumer too little, wrong things, or nothing."""

from kvtrace.causes import Cause
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    WHOLE,
    leg_answered,
    leg_sent,
    listener_started,
    load_decided,
    process_started,
    registration_noticed,
    registration_sent,
    registration_skipped,
    request_admitted,
    request_finished,
)
from tests.unit.story import ROUTER, D, P, Story


def test_a_parameter_that_was_left_out_is_named() -> None:
    story = Story().at(0, listener_started(), request_admitted(missing=("remote_port",)), by=D)
    story.at(0.1, load_decided()).at(0.2).dies(D).at(6)
    story.is_blamed_on(Cause.PARAMETERS_MISSING, "told D0 no `remote_port`").is_sure()
    story.is_blamed_on(Cause.PARAMETERS_MISSING, "D0’s engine died on it")


def test_where_the_death_is_not_heard_what_was_left_out_is_named_all_the_same() -> None:
    story = Story().at(0, request_admitted(missing=("tp_size", "remote_host"))).at(40)
    story.is_blamed_on(Cause.PARAMETERS_MISSING, "cannot register without").is_unsure("of P")


def test_a_consumer_that_died_of_something_else_is_not_blamed_on_the_router() -> None:
    story = Story().at(0, *CONSUMER_FIRST[:-1]).dies(D).at(6)
    story.is_not_blamed_on(Cause.PARAMETERS_MISSING)


def test_a_consumer_that_registered_was_told_enough() -> None:
    story = Story().at(0, request_admitted(missing=("remote_request_id",)), *CONSUMER_FIRST[1:])
    story.at(40).is_not_blamed_on(Cause.PARAMETERS_MISSING)


def two_ranks(tp_size: int, **settings: int) -> Story:
    """A producer of two ranks, and a consumer that was told of some."""
    story = Story().at(0, process_started(**(settings or {"tp_size": 2})), by=P)  # type: ignore[arg-type]
    story.at(0, request_admitted(tp_size=tp_size), *CONSUMER_FIRST[1:])
    return story.at(0, *PRODUCER_FIRST, registration_noticed())


def test_a_producer_of_more_ranks_than_the_consumer_was_told_is_named() -> None:
    two_ranks(1).at(40).is_blamed_on(
        Cause.RANKS_TOLD_WRONG, "was told of tp_size 1, P0 has 2; it registered with 1"
    ).is_sure()


def test_a_producer_of_as_many_ranks_as_told_is_not() -> None:
    story = two_ranks(2).at(0, registration_sent(peer_rank=1)).at(40)
    story.is_not_blamed_on(Cause.RANKS_TOLD_WRONG)


def test_where_the_producer_does_not_tell_its_ranks_they_are_not_made_up() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, registration_noticed()).at(40)
    story.is_not_blamed_on(Cause.RANKS_TOLD_WRONG)


def test_a_pipeline_stage_that_was_left_out_spoils_what_finished() -> None:
    story = Story().at(0, process_started(tp_size=1, pp_size=2), by=P).at(0, *WHOLE)
    story.is_blamed_on(Cause.RANKS_TOLD_WRONG, "told of pp_size 1, P0 has 2").is_sure()


def test_a_whole_pipeline_that_was_told_does_not() -> None:
    story = Story().at(0, process_started(tp_size=1, pp_size=2), by=P)
    story.at(0, registration_sent(peer_rank=1)).at(0, *WHOLE).is_blamed_on(None)


def consumer_got_only_its_leg() -> Story:
    """The router sent both legs, and one of them without word of the producer."""
    story = Story().at(0, listener_started(), by=D).at(0, *PRODUCER_FIRST)
    return story.at(0, leg_sent(request="r1", role_sent="D"), by=ROUTER)


def test_a_consumer_that_was_not_told_prefilled_by_itself() -> None:
    story = consumer_got_only_its_leg()
    story.at(3, leg_answered(request="r1", role_sent="D"), by=ROUTER).at(6)
    story.is_blamed_on(Cause.CONSUMER_PREFILLED_ITSELF, "without transfer parameters").is_sure()


def test_where_its_answer_is_not_heard_it_is_unsure() -> None:
    story = consumer_got_only_its_leg().at(6).is_blamed_on(Cause.CONSUMER_PREFILLED_ITSELF)
    story.is_unsure("has not told how D’s leg ended")


def test_a_leg_that_was_refused_did_not_prefill() -> None:
    story = consumer_got_only_its_leg()
    story.at(3, leg_answered(request="r1", role_sent="D", status=400), by=ROUTER).at(6)
    story.is_not_blamed_on(Cause.CONSUMER_PREFILLED_ITSELF)


def test_without_word_of_the_router_it_is_not_known() -> None:
    story = Story().at(0, listener_started(), by=D).at(0, *PRODUCER_FIRST).at(6)
    story.is_blamed_on(Cause.REGISTRATION_NEVER_CAME)


def took_nothing(computed: int) -> Story:
    """A consumer of which nothing was to come."""
    story = Story().at(0, request_admitted(tokens=4000), load_decided(tokens=0, computed=computed))
    return story.at(0, registration_skipped()).at(5, request_finished())


def test_a_consumer_that_decided_to_take_nothing_prefilled_by_itself() -> None:
    took_nothing(100).is_blamed_on(
        Cause.CONSUMER_PREFILLED_ITSELF, "take 0 of 4,000 tokens from P0; it had 100 in its cache"
    )


def test_a_consumer_that_had_all_in_its_cache_did_not() -> None:
    took_nothing(3999).is_blamed_on(None)
