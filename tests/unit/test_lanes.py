"""What happened in each place."""

import pytest

from kvtrace.clocks import Clocks
from kvtrace.lanes import LABELS, lanes
from kvtrace.wire import KINDS
from tests.unit.samples import (
    PRODUCER_FIRST,
    blocks_ready,
    prefill_admitted,
    registration_noticed,
    write_failed,
    write_finished,
    write_posted,
)
from tests.unit.story import CLOCK, SECOND, Story


@pytest.mark.parametrize("name", sorted(LABELS))
def test_every_label_is_that_of_an_event_and_short(name: str) -> None:
    assert name in KINDS
    assert len(LABELS[name]) <= 20


def test_every_event_of_a_request_has_a_label() -> None:
    assert {name for name, cls in KINDS.items() if cls.role is not None} - set(LABELS) <= {
        "heartbeat.sent",
        "lease.renewed",
    }


def test_a_write_that_failed_is_a_bar_that_failed() -> None:
    story = Story().at(1, *PRODUCER_FIRST, write_posted(), write_posted(peer_rank=1))
    story.at(2, write_failed()).at(3, write_finished(peer_rank=1))
    rank = lanes(story.row.transfer, Clocks(CLOCK))[1]
    assert [(bar.peer_rank, bar.ended, bar.failed) for bar in rank.bars] == [
        (0, 2 * SECOND, True),
        (1, 3 * SECOND, False),
    ]


def test_an_end_without_a_beginning_is_no_bar() -> None:
    story = Story().at(1, blocks_ready(), write_finished())
    assert all(not lane.bars for lane in lanes(story.row.transfer, Clocks(CLOCK)))


def test_a_side_that_nobody_named_has_one_lane_that_says_so() -> None:
    consumer, *producer = lanes(Story().at(0, prefill_admitted()).row.transfer, Clocks(CLOCK))
    assert (consumer.place.engine, consumer.seen) == ("", False)
    assert all(lane.seen for lane in producer)
    consumer = lanes(Story().at(0, registration_noticed()).row.transfer, Clocks(CLOCK))[0]
    assert (consumer.place.engine, consumer.seen) == ("D0", False)
