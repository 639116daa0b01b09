"""What is plainly well need not be looked at by any rule."""

import msgspec
import pytest

from kvtrace.clocks import Clocks
from kvtrace.diagnosis.well import is_well
from kvtrace.ended import done
from kvtrace.ending import ending
from kvtrace.events import AnyEvent
from tests.unit.samples import (
    CONSUMER_FIRST,
    LANDING,
    P_REQUEST,
    PRODUCER_FIRST,
    WRITING,
    blocks_ready,
    handshake_started,
    lease_expired,
    load_decided,
    match_made,
    prefill_admitted,
    registration_skipped,
    request_admitted,
    write_failed,
)
from tests.unit.story import CLOCK, P, Story

ASKING = (request_admitted(tokens=100), *CONSUMER_FIRST[1:])
EVERY = (*ASKING, *PRODUCER_FIRST, *WRITING, *LANDING)


def is_said_to_be_well(story: Story) -> bool:
    transfer = story.done.transfer
    over = ending(transfer)
    assert over is not None
    made, _ = done(transfer, over, Clocks(CLOCK))
    handoff = made.shares.handoff if made.shares is not None else None
    return is_well(transfer, Clocks(CLOCK), handoff)


def whole(*instead: AnyEvent) -> Story:
    """A healthy transfer, some of whose events were others."""
    kinds = {type(one): one for one in instead}
    return Story().at(0, *(kinds.get(type(one), one) for one in EVERY))


def test_what_went_as_it_should_is_well() -> None:
    assert is_said_to_be_well(whole())
    assert is_said_to_be_well(Story().at(0, *PRODUCER_FIRST).at(0.5, *ASKING, *WRITING, *LANDING))


@pytest.mark.parametrize(
    "one", [handshake_started(), lease_expired(), write_failed(), registration_skipped()]
)
def test_what_told_of_trouble_is_looked_at(one: AnyEvent) -> None:
    assert not is_said_to_be_well(Story().at(0, *ASKING, *PRODUCER_FIRST, one, *WRITING, *LANDING))


@pytest.mark.parametrize(
    "one",
    [
        prefill_admitted(tokens=7),
        blocks_ready(computed=7),
        load_decided(tokens=0, computed=4096),
        match_made(candidates=2),
    ],
)
def test_sides_that_may_not_mean_the_same_prompt_are_looked_at(one: AnyEvent) -> None:
    assert not is_said_to_be_well(whole(one))


def test_what_took_long_is_looked_at() -> None:
    slow = Story().at(0, *ASKING, *PRODUCER_FIRST).at(1.5, *WRITING, *LANDING)
    late = Story().at(0, *PRODUCER_FIRST).at(1.5, *ASKING, *WRITING, *LANDING)
    assert not is_said_to_be_well(slow)
    assert not is_said_to_be_well(late)


def test_what_is_told_twice_of_one_prompt_is_looked_at() -> None:
    again = prefill_admitted(request=P_REQUEST)
    story = Story().at(0, *ASKING, *PRODUCER_FIRST)
    story.at(0, again, by=msgspec.structs.replace(P, restarts=1)).at(0, *WRITING, *LANDING)
    assert not is_said_to_be_well(story)
