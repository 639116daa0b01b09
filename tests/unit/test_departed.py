"""What ended is counted once, and the last of it is kept."""

from kvtrace.causes import Cause
from kvtrace.departed import SHOWN, Departed
from kvtrace.diagnosis.rounds import Rounds
from kvtrace.fleet import Fleet
from kvtrace.flow import Flow
from tests.unit.samples import (
    CONSUMER_FIRST,
    LANDING,
    PRODUCER_FIRST,
    WRITING,
    receive_failed,
    receive_reported,
    request_admitted,
    request_resumed,
    send_reported,
)
from tests.unit.story import CLOCK, SECOND, Story

ASKING = (request_admitted(tokens=100), *CONSUMER_FIRST[1:])


def departed(fleet: Fleet) -> Departed:
    return Departed(fleet, Rounds(fleet, lambda engine: engine), Flow())


def tell(fleet: Fleet, story: Story) -> None:
    for moment in story.moments:
        fleet.take(moment)


def test_where_nobody_looks_no_more_is_kept_than_is_shown() -> None:
    fleet = Fleet(CLOCK)
    over = departed(fleet)
    for number in range(6 * SHOWN):
        ident = f"x{number}"
        tell(
            fleet,
            Story().at(number, request_admitted(request=ident), request_resumed(request=ident)),
        )
        over.count(number * SECOND, fleet.clocks)
    assert len(over._done) <= 4 * SHOWN


def test_what_was_named_of_those_that_ended_is_told_until_others_did() -> None:
    fleet = Fleet(CLOCK)
    over = departed(fleet)
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST)
    story.at(1, receive_reported(failed=True), receive_failed(), request_resumed(failed=True))
    tell(fleet, story)
    over.count(SECOND, fleet.clocks)
    assert over.blamed == {"r1": Cause.LOAD_FAILED_BY_POLICY}
    over.count(2 * SECOND, fleet.clocks)
    assert over.blamed == {}


def test_what_is_plainly_well_is_worked_out_anew_only_for_who_looks() -> None:
    fleet = Fleet(CLOCK)
    over = departed(fleet)
    early = [one for one in LANDING if one != send_reported()]
    tell(fleet, Story().at(0, *ASKING, *PRODUCER_FIRST, *WRITING, *early))
    over.count(SECOND, fleet.clocks)
    (before,) = over.latest(SECOND, fleet.clocks)
    story = Story().at(0, *ASKING, *PRODUCER_FIRST, *WRITING, *early, send_reported())
    tell(fleet, story)
    over.keep(2 * SECOND, fleet.clocks, though_well=False)
    assert not over._done
    (after,) = over.latest(3 * SECOND, fleet.clocks)
    assert before.transfer is not after.transfer
    assert after == story.done
