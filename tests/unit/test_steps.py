"""When each step first happened."""

from kvtrace.clocks import Clocks
from kvtrace.steps import earliest, read
from tests.unit.samples import (
    blocks_queued,
    blocks_ready,
    completion_counted,
    prefill_admitted,
    receive_reported,
    registration_queued,
    request_admitted,
)
from tests.unit.story import CLOCK, SECOND, Story

CLOCKS = Clocks(CLOCK)


def test_the_first_of_each_rank_counts() -> None:
    story = Story().at(1, prefill_admitted(), blocks_queued()).at(2, blocks_queued(), rank=1)
    steps = read(story.row.transfer, CLOCKS)
    assert steps.ranks("blocks.queued") == {0: 1 * SECOND, 1: 2 * SECOND}
    assert steps.first("blocks.queued", "blocks.ready") == 1 * SECOND
    assert steps.first("write.posted") is None
    assert steps.at("write.posted") == {}


def test_what_is_refused_or_only_begun_is_no_step() -> None:
    story = Story().at(1, request_admitted(), registration_queued())
    story.at(2, completion_counted(count=1, needed=2), receive_reported(failed=True))
    story.at(3, completion_counted(count=2, needed=2))
    steps = read(story.row.transfer, CLOCKS)
    assert steps.first("completion.counted") == 3 * SECOND
    assert steps.first("receive.reported") is None


def test_the_earliest_of_several_events_of_a_half() -> None:
    half = Story().at(1, prefill_admitted()).at(2, blocks_ready()).row.transfer.producer
    assert half is not None
    told = earliest(half, "blocks.ready", "prefill.admitted")
    assert told is not None
    assert told.mark.at == 1 * SECOND
    assert earliest(half, "blocks.released") is None
