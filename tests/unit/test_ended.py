"""What is kept of a transfer that ended."""

from kvtrace.clocks import Clocks
from kvtrace.ended import done
from kvtrace.ending import ending
from kvtrace.model import Link, Outcome, Phase
from tests.unit.samples import CONSUMER_FIRST, WHOLE, request_resumed
from tests.unit.story import CLOCK, SECOND, Story


def test_its_phases_add_up_to_the_time_that_it_took() -> None:
    transfer = Story().at(1, *CONSUMER_FIRST).at(4, request_resumed()).done.transfer
    over = ending(transfer)
    assert over is not None
    made, phases = done(transfer, over, Clocks(CLOCK))
    assert made.took == 3 * SECOND == sum(ns for _, ns in made.phases)
    assert [phase for phase, _ in made.phases] == list(Phase)
    assert phases[-1].ended == 4 * SECOND


def test_it_keeps_its_link_its_outcome_and_its_size() -> None:
    made = Story().at(0, *WHOLE).done
    assert (made.id, made.link, made.outcome) == ("r1", Link("P0", "D0"), Outcome.FINISHED)
    assert (made.size, made.ended.at) == (4096, 0)
