"""Where a finished transfer's wait went."""

from hypothesis import given
from hypothesis import strategies as st

from kvtrace.clocks import Clocks
from kvtrace.shares import shares
from kvtrace.split import Part, Shares
from kvtrace.steps import read
from kvtrace.transfer import Transfer
from tests.unit.samples import (
    CONSUMER_FIRST,
    LANDING,
    PRODUCER_FIRST,
    WHOLE,
    WRITING,
    blocks_queued,
    blocks_ready,
    blocks_shipped,
    completion_counted,
    handshake_finished,
    load_decided,
    match_made,
    notification_noticed,
    prefill_admitted,
    receive_finished,
    receive_reported,
    registration_noticed,
    registration_queued,
    registration_sent,
    registration_shipped,
    registration_staged,
    request_admitted,
    request_resumed,
    write_finished,
    write_posted,
)
from tests.unit.story import SECOND, Engine, P, Story

ELSEWHERE = Engine(name="P0", role=P.role, clock="host-2", ahead=100.0)


def where(transfer: Transfer, clocks: Clocks) -> Shares | None:
    return shares(transfer, read(transfer, clocks), clocks)


def split(story: Story) -> Shares:
    found = where(story.done.transfer, story.snapshot.clocks)
    assert found is not None
    return found


def in_seconds(found: Shares) -> dict[Part, float]:
    return {part: took / SECOND for part, took in found.parts}


def test_each_part_is_what_lies_between_two_steps() -> None:
    story = (
        Story()
        .at(0, request_admitted())
        .at(1, load_decided(), registration_staged())
        .at(1.5, registration_shipped(), registration_queued())
        .at(3.5, handshake_finished(took=2 * SECOND))
        .at(3.75, registration_sent())
        .at(4, registration_noticed())
        .at(6, prefill_admitted())
        .at(9, blocks_ready(), blocks_shipped())
        .at(9.5, blocks_queued())
        .at(9.75, match_made())
        .at(11, write_posted(prepare=SECOND // 4, post=SECOND // 2))
        .at(14, write_finished(transfer=3 * SECOND))
        .at(14, notification_noticed())
        .at(15, completion_counted(), receive_reported(), receive_finished())
        .at(16, request_resumed())
    )
    assert in_seconds(split(story)) == {
        Part.ADMISSION: 1,
        Part.HANDSHAKE: 2,
        Part.CONSUMER_STEPS: 0.75,
        Part.PRODUCER_QUEUE: 2.25,
        Part.PREFILL: 3,
        Part.PRODUCER_STEPS: 0.5,
        Part.WRITER: 0.75,
        Part.POST: 0.75,
        Part.WIRE: 2.5,
        Part.NOTIFICATION: 0.5,
        Part.COUNTING: 1,
        Part.SCHEDULING: 1,
    }
    assert split(story).whole == 16 * SECOND
    assert split(story).handoff == round(10.75 * SECOND)
    assert split(story).error == 0


def test_what_the_producer_did_before_it_was_asked_took_no_time() -> None:
    story = Story().at(0, *PRODUCER_FIRST, request_admitted()).at(1, *CONSUMER_FIRST[1:])
    story.at(2, registration_noticed(), match_made(), write_posted())
    story.at(2, *LANDING)
    assert in_seconds(split(story)) == {Part.ADMISSION: 1, Part.TRANSIT: 1}


def test_a_registration_that_is_noticed_after_the_blocks_are_there_was_waited_for() -> None:
    story = Story().at(0, *CONSUMER_FIRST, prefill_admitted()).at(1, *PRODUCER_FIRST[1:])
    story.at(3, *WRITING).at(3, *LANDING)
    assert in_seconds(split(story)) == {Part.PREFILL: 1, Part.TRANSIT: 2}


def test_it_is_unknown_while_it_lasts_and_where_a_half_is_not_seen() -> None:
    story = Story().at(0, *WHOLE[:-1])
    assert where(story.row.transfer, story.snapshot.clocks) is None
    alone = Story().at(0, *CONSUMER_FIRST).at(1, receive_finished(), request_resumed())
    assert where(alone.done.transfer, alone.snapshot.clocks) is None


def test_between_two_hosts_the_error_is_stated() -> None:
    story = Story().at(0, *CONSUMER_FIRST)
    for event in (*PRODUCER_FIRST, registration_noticed(), match_made(), write_posted()):
        story.at(1, event, by=ELSEWHERE)
    story.at(2, write_finished(), by=ELSEWHERE).at(2, notification_noticed())
    story.at(3, completion_counted(), receive_reported(), receive_finished(), request_resumed())
    found = split(story)
    assert found.error == SECOND
    assert found.whole == 3 * SECOND


@given(st.lists(st.floats(0, 5), min_size=len(WHOLE), max_size=len(WHOLE)))
def test_they_add_up_whatever_the_order(delays: list[float]) -> None:
    story = Story()
    for delay, event in zip(delays, WHOLE[:-1], strict=False):
        story.at(1 + delay, event)
    story.at(7, WHOLE[-1])
    done = story.done
    found = where(done.transfer, story.snapshot.clocks)
    assert found is not None
    assert all(took > 0 for _, took in found.parts)
    assert found.whole == done.took
