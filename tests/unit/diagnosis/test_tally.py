"""What each cause was named for, now and since we began."""

from kvtrace.causes import Cause
from kvtrace.diagnosed import CauseLine
from kvtrace.model import Link
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    blocks_ready,
    prefill_admitted,
    receive_failed,
    registration_noticed,
)
from tests.unit.story import SECOND, Story


def lines(story: Story) -> dict[Cause, CauseLine]:
    return {line.cause: line for line in story.snapshot.causes}


def test_stalled_transfers_with_one_cause_are_one_line() -> None:
    story = Story()
    for number in range(3):
        story.at(number, prefill_admitted(request=f"q{number}-aaaaaaaa"))
        story.at(number, blocks_ready(request=f"q{number}-aaaaaaaa"))
    line = lines(story.at(10))[Cause.REGISTRATION_NEVER_CAME]
    assert (line.stalled, line.ended, line.count) == (3, 0, 3)
    assert (line.since, line.oldest, line.last) == (0, 10 * SECOND, 10 * SECOND)
    assert (line.links, line.engines) == ((Link("P0", ""),), ("P0",))
    assert line.transfers == ("q0", "q1", "q2")
    assert line.worst.transfer == "q0"


def test_what_is_true_now_comes_before_what_is_over() -> None:
    story = Story().at(0, *CONSUMER_FIRST, prefill_admitted(), registration_noticed())
    story.at(1, blocks_ready(held=False, status="error"), receive_failed())
    story.at(2, prefill_admitted(request="q-aaaaaaaa"), blocks_ready(request="q-aaaaaaaa")).at(9)
    first, second = story.snapshot.causes
    assert (first.cause, first.stalled) == (Cause.REGISTRATION_NEVER_CAME, 1)
    assert (second.cause, second.stalled, second.ended) == (Cause.PREFILL_FAILED, 0, 1)
    assert second.oldest is None


def test_a_healthy_fleet_has_no_line() -> None:
    assert Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST).at(1).snapshot.causes == ()
