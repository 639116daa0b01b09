"""How one transfer stands."""

from kvtrace.model import Link, Phase
from kvtrace.standing import size, standing
from tests.unit.samples import (
    CONSUMER_FIRST,
    LANDING,
    PRODUCER_FIRST,
    WRITING,
    registration_sent,
    write_finished,
    write_posted,
)
from tests.unit.story import SECOND, Story


def test_it_knows_its_phase_its_link_and_what_is_held_for_it() -> None:
    story = Story().at(0, *CONSUMER_FIRST).at(2, *PRODUCER_FIRST)
    stands = standing(story.row.transfer, story.snapshot.clocks, 2 * SECOND)
    assert stands.phase is Phase.REGISTRATION
    assert stands.since == 2 * SECOND
    assert stands.start == 0
    assert stands.link == Link("P0", "D0")
    assert stands.held == (7, 7)
    assert stands.size == 0


def test_ranks_count_writes_and_then_completions() -> None:
    story = Story().at(0, *CONSUMER_FIRST, registration_sent(peer_rank=1))
    assert story.row.ranks == (0, 2)
    story.at(1, *PRODUCER_FIRST, *WRITING).at(1, *WRITING[:3], rank=1)
    story.at(2, write_finished())
    assert story.row.ranks == (1, 2)
    story.at(3, write_finished(), rank=1)
    assert (story.row.phase, story.row.ranks) == (Phase.COMPLETION, (0, 1))
    story.at(4, *LANDING[4:6])
    assert story.row.ranks == (1, 1)


def test_the_size_is_what_was_written_so_far() -> None:
    story = Story().at(0, *PRODUCER_FIRST, *WRITING, write_posted(peer_rank=1), write_finished())
    assert story.row.size == 4096
    assert size(None) == 0
