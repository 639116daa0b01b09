"""Where one wait ends and the next begins."""

from kvtrace.clocks import Clocks
from kvtrace.cuts import Cuts, cuts, registering
from kvtrace.steps import Steps, read
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    WHOLE,
    WRITING,
    completion_counted,
    notification_noticed,
    process_started,
    registration_sent,
    write_finished,
    write_posted,
)
from tests.unit.story import CLOCK, SECOND, D, Story

CLOCKS = Clocks(CLOCK)


def steps(story: Story) -> Steps:
    return read(story.row.transfer, CLOCKS)


def test_a_whole_transfer_has_every_cut_in_order() -> None:
    story = Story()
    for second, event in enumerate(WHOLE):
        story.at(second, event)
    found = cuts(story.done.transfer, CLOCKS)
    assert found == Cuts(
        start=0,
        registered=5 * SECOND,
        ready=7 * SECOND,
        noticed=11 * SECOND,
        met=12 * SECOND,
        written=15 * SECOND,
        end=22 * SECOND,
    )


def test_a_write_is_due_for_each_pair_that_is_asked_for_or_begun() -> None:
    story = Story().at(0, *CONSUMER_FIRST, registration_sent(peer_rank=1))
    assert steps(story).pairs == {(0, 0), (1, 0)}
    story.at(1, *PRODUCER_FIRST, *WRITING, write_posted(peer_rank=1))
    assert steps(story).pairs == {(0, 0), (1, 0), (0, 1)}


def test_either_side_may_say_that_a_write_has_landed() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, *WRITING)
    assert steps(story).landed == {}
    story.at(3, write_finished())
    assert steps(story).landed == {(0, 0): 3 * SECOND}
    story.at(2, notification_noticed())
    assert steps(story).landed == {(0, 0): 2 * SECOND}


def test_a_rank_that_counted_all_it_needs_has_all_its_writes() -> None:
    story = Story().at(0, *CONSUMER_FIRST, registration_sent(peer_rank=1))
    story.at(1, completion_counted(count=1, needed=2))
    assert steps(story).landed == {}
    story.at(2, completion_counted(count=2, needed=2))
    assert set(steps(story).landed) == {(0, 0), (1, 0)}


def test_a_write_proves_a_match_that_was_not_seen() -> None:
    story = Story().at(0, *PRODUCER_FIRST).at(4, write_posted())
    assert steps(story).matched == {0: 4 * SECOND}
    assert steps(story).addressed == {0}


def test_ranks_that_are_told_of_have_to_register_even_if_not_heard_yet() -> None:
    story = Story().at(0, process_started(tp_size=2), by=D).at(1, *CONSUMER_FIRST)
    assert registering(story.row.transfer, steps(story)) == {0, 1}
