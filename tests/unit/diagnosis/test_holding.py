"""Stories of blocks that are held for nobody, or that nobody can get."""

import msgspec
import pytest

from kvtrace.causes import Cause
from kvtrace.events import AnyEvent
from kvtrace.model import Outcome
from kvtrace.moments import Lost
from tests.unit.samples import (
    CONSUMER_FIRST,
    D_REQUEST,
    LANDING,
    P_REQUEST,
    PRODUCER_FIRST,
    WRITING,
    blocks_released,
    lease_expired,
    load_decided,
    prefill_admitted,
    process_started,
    registration_expired,
    registration_noticed,
    registration_staged,
    request_admitted,
    request_finished,
    send_reported,
    step_sampled,
)
from tests.unit.story import D, P, Story

ABORTED = request_finished(status="FINISHED_ABORTED", parked=True)


def named(events: tuple[AnyEvent, ...], request: str) -> list[AnyEvent]:
    """The events of another request."""
    return [msgspec.structs.replace(one, request=request) for one in events]


def test_the_blocks_of_an_aborted_request_are_held() -> None:
    story = Story().at(0, *CONSUMER_FIRST, registration_noticed(), prefill_admitted())
    story.at(3, ABORTED).at(40).is_blamed_on(Cause.ABORTED_BLOCKS_HELD, "D0 holds 7 blocks")
    story.is_sure()


def test_where_the_producer_is_not_heard_it_is_unsure() -> None:
    story = Story().at(0, *CONSUMER_FIRST).at(3, ABORTED).at(40)
    story.is_blamed_on(Cause.ABORTED_BLOCKS_HELD).is_unsure("nothing is heard of P0")


def test_a_late_write_frees_them() -> None:
    story = Story().at(0, *CONSUMER_FIRST).at(3, ABORTED).at(4, *PRODUCER_FIRST, *WRITING)
    story.at(5, *LANDING[:7]).has_ended(Outcome.ABANDONED)
    story.is_not_blamed_on(Cause.ABORTED_BLOCKS_HELD)


def test_a_request_that_only_waits_holds_them_for_itself() -> None:
    story = Story().at(0, *CONSUMER_FIRST, registration_noticed(), prefill_admitted()).at(40)
    story.is_not_blamed_on(Cause.ABORTED_BLOCKS_HELD)


def test_a_consumer_that_gives_up_before_it_asks_strands_the_blocks() -> None:
    story = Story().at(0, request_admitted(), *PRODUCER_FIRST).at(1, load_decided())
    story.at(2, request_finished(status="FINISHED_ABORTED")).has_ended(Outcome.ABANDONED)
    story.is_blamed_on(Cause.REJECTED_BEFORE_ASKING, "P0 holds 7 until").is_sure()


def stand_in(remote: str) -> tuple[AnyEvent, ...]:
    """What vLLM's front end has the engine do where it refuses a request."""
    return (
        request_admitted(request="9c6967f0404560a1", remote_request=remote, tokens=1),
        request_finished(request="9c6967f0404560a1", status="FINISHED_ABORTED"),
    )


@pytest.mark.parametrize("remote", [P_REQUEST, "r1"])
def test_a_front_end_that_refuses_the_request_strands_them_too(remote: str) -> None:
    story = Story().at(0, *PRODUCER_FIRST).at(1, *stand_in(remote)).at(9)
    assert story.diagnoses() == {"r1": Cause.REJECTED_BEFORE_ASKING}


def test_one_that_refuses_another_request_does_not() -> None:
    story = Story().at(0, *PRODUCER_FIRST).at(1, *stand_in("r2")).at(9)
    assert story.diagnoses() == {"r1": Cause.REGISTRATION_NEVER_CAME}


def test_one_that_gives_up_when_nothing_is_held_strands_none() -> None:
    story = Story().at(0, request_admitted(), prefill_admitted())
    story.at(2, request_finished(status="FINISHED_ABORTED")).is_blamed_on(None)


def test_one_that_gives_up_when_the_blocks_are_free_again_strands_none() -> None:
    story = Story().at(0, request_admitted(), *PRODUCER_FIRST)
    story.at(1, send_reported(), blocks_released())
    story.at(2, request_finished(status="FINISHED_ABORTED")).is_blamed_on(None)


def test_where_events_of_the_consumer_were_lost_it_may_have_asked() -> None:
    story = Story().at(0, request_admitted(), *PRODUCER_FIRST)
    story.hears(Lost(process="D0/-1", overwritten=2)).at(2, request_finished(status="x"))
    story.is_blamed_on(Cause.REJECTED_BEFORE_ASKING).is_unsure("events of D0 were lost")


@pytest.mark.parametrize(("first", "second"), [("0_c", "1_c"), ("c-0", "c-1")])
def test_siblings_of_which_one_is_fetched_are_named(first: str, second: str) -> None:
    story = Story().at(0, *named(PRODUCER_FIRST, f"{first}-aaaaaaaa"))
    story.at(0, *named(PRODUCER_FIRST, f"{second}-aaaaaaaa"))
    story.at(0, *named(CONSUMER_FIRST, f"{first}-bbbbbbbb"))
    story.at(0, registration_noticed(remote_request=f"{first}-bbbbbbbb")).at(8)
    assert story.diagnoses()[second] is Cause.SIBLINGS_NEVER_FETCHED


def test_an_only_child_that_nobody_fetches_is_none() -> None:
    story = Story().at(0, *named(PRODUCER_FIRST, "1_c-aaaaaaaa")).at(8)
    story.is_blamed_on(Cause.REGISTRATION_NEVER_CAME)


def test_siblings_of_which_none_was_fetched_are_none() -> None:
    story = Story().at(0, *named(PRODUCER_FIRST, "0_c-aaaaaaaa"))
    story.at(0, *named(PRODUCER_FIRST, "1_c-aaaaaaaa")).at(8)
    assert set(story.diagnoses().values()) == {Cause.REGISTRATION_NEVER_CAME}


def full(story: Story, blocks: int, parked: int = 3) -> Story:
    """A consumer with so many blocks, of which each parked request holds twelve."""
    started = process_started(engine="D0", kv_role="kv_consumer", blocks=blocks, block_size=10)
    story.at(0, started, by=D).at(0, step_sampled(), by=P)
    for number in range(parked):
        other = f"q{number}-cccccccc"
        story.at(0, request_admitted(request=other), load_decided(request=other))
        story.at(0, registration_staged(request=other, blocks=12))
    return story.at(1, request_admitted(), load_decided(tokens=100))


def test_a_consumer_whose_blocks_the_parked_hold_is_named() -> None:
    story = full(Story(), blocks=40).at(36)
    assert story.diagnoses()["r1"] is Cause.CONSUMER_HAS_NO_BLOCKS
    (found,) = (one for one in story.snapshot.diagnoses.values() if one.transfer == "r1")
    assert "3 waiting transfers hold 36 of the 40 blocks of D0" in found.sentence
    assert found.doubt == ""


def test_a_lease_that_ran_out_meanwhile_came_of_it() -> None:
    story = full(Story(), blocks=40).at(2, *PRODUCER_FIRST)
    story.at(32, lease_expired(readers=0)).at(36)
    assert story.diagnoses()["r1"] is Cause.CONSUMER_HAS_NO_BLOCKS


def test_one_block_is_nobodys() -> None:
    told = full(Story(), blocks=46).at(36).snapshot.diagnoses.values()
    (found,) = (one for one in told if one.transfer == "r1")
    assert found.doubt == ""


def test_where_running_requests_must_hold_the_rest_it_is_unsure() -> None:
    story = full(Story(), blocks=60).at(36)
    (found,) = (one for one in story.snapshot.diagnoses.values() if one.transfer == "r1")
    assert found.cause is Cause.CONSUMER_HAS_NO_BLOCKS
    assert "running requests" in found.doubt


@pytest.mark.parametrize(("blocks", "parked"), [(1000, 3), (40, 0)])
def test_a_wait_for_running_requests_is_only_a_queue(blocks: int, parked: int) -> None:
    story = full(Story(), blocks, parked).at(36)
    assert story.diagnoses()["r1"] is Cause.UNEXPLAINED


def test_one_that_queues_behind_one_without_room_waits_for_the_same() -> None:
    story = full(Story(), blocks=40).at(1, request_admitted(request="z-eeeeeeee")).at(36)
    assert story.diagnoses()["z"] is Cause.CONSUMER_HAS_NO_BLOCKS
    (found,) = (one for one in story.snapshot.diagnoses.values() if one.transfer == "z")
    assert f"{D_REQUEST}, behind which it queues, needs 10" in found.sentence


def test_one_that_the_consumer_has_not_come_to_only_queues() -> None:
    story = full(Story(), blocks=60).at(1, request_admitted(request="z-eeeeeeee")).at(36)
    assert story.diagnoses()["z"] is Cause.UNEXPLAINED


def test_one_that_came_before_waits_for_something_else() -> None:
    story = full(Story().at(0, request_admitted(request="z-eeeeeeee")), blocks=40).at(36)
    assert story.diagnoses()["z"] is Cause.UNEXPLAINED


def test_where_the_cache_is_not_known_nothing_is_invented() -> None:
    story = Story().at(0, request_admitted(request=D_REQUEST), load_decided()).at(36)
    story.is_blamed_on(Cause.UNEXPLAINED)


def test_a_watchdog_that_only_logged_is_named_where_nothing_better_is_known() -> None:
    story = Story().at(0, *CONSUMER_FIRST, registration_noticed())
    story.at(1, step_sampled(window=0, forwards=1), by=P)
    story.at(480, registration_expired(timeout=480 * 10**9)).at(500)
    story.is_blamed_on(Cause.WATCHDOG_ONLY_LOGS, "gave up after 480 s and only logged").is_sure()


def test_where_the_producer_of_a_logged_wait_is_not_heard_it_is_unsure() -> None:
    story = Story().at(0, *CONSUMER_FIRST).at(480, registration_expired()).at(500)
    story.is_blamed_on(Cause.WATCHDOG_ONLY_LOGS).is_unsure("nothing is heard of P0")


def test_a_watchdog_that_logged_a_wait_of_known_cause_is_not() -> None:
    story = Story().at(0, *CONSUMER_FIRST, registration_noticed())
    story.at(5, registration_expired()).at(40).is_blamed_on(Cause.PREFILL_NEVER_CAME)
