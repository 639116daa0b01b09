"""What a transfer waits for, by story; and that its phases always add up."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from kvtrace.clocks import Clocks
from kvtrace.cuts import Cuts
from kvtrace.fleet import Fleet
from kvtrace.model import Outcome, Phase, Role
from kvtrace.moments import Moment
from kvtrace.phases import Stretch, cut_up, spent, stretches
from kvtrace.transfer import Transfer
from tests.unit.samples import (
    CONSUMER_FIRST,
    LANDING,
    PRODUCER_FIRST,
    WHOLE,
    WRITING,
    blocks_queued,
    blocks_ready,
    completion_counted,
    match_made,
    notification_noticed,
    prefill_admitted,
    process_started,
    receive_failed,
    receive_finished,
    receive_reported,
    registration_noticed,
    registration_queued,
    registration_sent,
    request_admitted,
    request_finished,
    request_resumed,
    send_reported,
    write_finished,
    write_posted,
)
from tests.unit.story import CLOCK, SECOND, D, Story

P, C = Role.PRODUCER, Role.CONSUMER


def test_a_healthy_transfer_waits_for_each_thing_in_turn() -> None:
    (
        Story()
        .at(0, request_admitted())
        .waits_for(Phase.REGISTRATION, C)
        .at(1, *CONSUMER_FIRST[1:])
        .waits_for(Phase.READINESS, P)
        .at(2, prefill_admitted())
        .waits_for(Phase.READINESS, P, seconds=1)
        .at(3, registration_noticed())
        .at(10, *PRODUCER_FIRST[1:])
        .waits_for(Phase.READINESS, P, rank=0, seconds=9)
        .at(11, match_made())
        .waits_for(Phase.WRITE, P, rank=0, seconds=0)
        .at(12, write_posted())
        .waits_for(Phase.WRITE, P, rank=0, seconds=1)
        .at(15, notification_noticed())
        .waits_for(Phase.COMPLETION, C, rank=0, seconds=0)
        .at(16, completion_counted(), receive_reported())
        .waits_for(Phase.COMPLETION, C)
        .at(17, receive_finished(), request_resumed())
        .has_ended(Outcome.FINISHED)
        .took(registration=1, readiness=10, write=4, completion=2)
    )  # fmt: skip


def test_ready_blocks_wait_for_a_registration_that_is_not_noticed() -> None:
    (
        Story()
        .at(0, *CONSUMER_FIRST)
        .at(1, *PRODUCER_FIRST)
        .at(4)
        .waits_for(Phase.REGISTRATION, P, rank=0, seconds=3)
        .at(5, *WRITING)
        .waits_for(Phase.WRITE, seconds=0)
    )  # fmt: skip


def test_a_consumer_that_comes_late_is_waited_for_from_its_own_admission() -> None:
    (
        Story()
        .at(0, *PRODUCER_FIRST)
        .waits_for(Phase.REGISTRATION, seconds=0)
        .at(9, request_admitted())
        .waits_for(Phase.REGISTRATION, C, seconds=0)
        .at(10, *CONSUMER_FIRST[1:], *WRITING)
        .at(12, *LANDING)
        .took(registration=1, write=2)
    )  # fmt: skip


def test_a_producer_alone_waits_for_a_consumer_that_nobody_named() -> None:
    story = Story().at(0, prefill_admitted()).waits_for(Phase.READINESS, P)
    story.at(2, *PRODUCER_FIRST[1:]).at(7).waits_for(Phase.REGISTRATION, seconds=5)
    assert story.row.waits_for is None
    assert story.row.link.consumer == ""


def test_a_registration_alone_waits_for_the_blocks() -> None:
    story = Story().at(0, registration_noticed()).at(3).waits_for(Phase.READINESS, P, seconds=3)
    assert story.row.link.consumer == "D0"
    story.at(4, *PRODUCER_FIRST).waits_for(Phase.READINESS, P, rank=0)


def test_a_producer_alone_is_done_when_it_no_longer_needs_the_blocks() -> None:
    (
        Story()
        .at(0, prefill_admitted())
        .at(1, *PRODUCER_FIRST[1:])
        .at(3, registration_noticed())
        .at(4, *WRITING[1:])
        .at(6, write_finished())
        .waits_for(Phase.COMPLETION, P, rank=0)
        .at(7, send_reported())
        .has_ended(Outcome.FINISHED)
        .took(readiness=1, registration=3, write=2, completion=1)
    )  # fmt: skip


def test_a_consumer_alone_cannot_know_better_than_readiness() -> None:
    (
        Story()
        .at(0, request_admitted())
        .at(1, *CONSUMER_FIRST[1:])
        .at(60)
        .waits_for(Phase.READINESS, P, seconds=59)
        .at(61, notification_noticed())
        .waits_for(Phase.COMPLETION, C, rank=0, seconds=0)
        .at(62, *LANDING[4:])
        .took(registration=1, readiness=60, completion=1)
    )  # fmt: skip


def test_every_rank_of_the_consumer_has_to_register() -> None:
    story = Story().at(0, process_started(tp_size=2), by=D)
    story.at(1, *CONSUMER_FIRST).waits_for(Phase.REGISTRATION, C)
    story.at(2, registration_queued(), rank=1).waits_for(Phase.REGISTRATION, C, rank=1)
    story.at(3, registration_sent(peer_rank=1), rank=1).waits_for(Phase.READINESS, seconds=0)


def test_ranks_told_of_after_the_request_count_as_well() -> None:
    story = Story().at(1, *CONSUMER_FIRST).waits_for(Phase.READINESS)
    story.at(2, process_started(tp_size=2), by=D).waits_for(Phase.REGISTRATION, C)


def test_one_producer_rank_writes_to_two_consumer_ranks_upon_one_match() -> None:
    """The second rank's registration stays unmatched for ever, which is no fault."""
    story = Story().at(0, *CONSUMER_FIRST).at(0, *_rank_1(), rank=1)
    story.at(1, *PRODUCER_FIRST).at(2, *WRITING).at(2, write_posted(peer_rank=1))
    story.at(3, write_finished()).waits_for(Phase.WRITE, P, rank=0, seconds=1)
    assert story.row.ranks == (0, 1)
    story.at(4, write_finished(peer_rank=1)).waits_for(Phase.COMPLETION, C, rank=0)
    assert story.row.ranks == (0, 2)
    story.at(5, *LANDING[4:6]).waits_for(Phase.COMPLETION, C, rank=1)
    assert story.row.ranks == (1, 2)


def test_a_match_before_the_last_registration_begins_the_write() -> None:
    story = Story().at(0, *CONSUMER_FIRST).at(0, registration_queued(), rank=1)
    story.at(1, *PRODUCER_FIRST).waits_for(Phase.REGISTRATION, C, rank=1)
    story.at(2, *WRITING).waits_for(Phase.WRITE, P, rank=0, seconds=0)


def test_a_rank_that_never_writes_is_the_one_waited_for() -> None:
    story = Story().at(0, *CONSUMER_FIRST, registration_sent(peer_rank=1)).at(1, *PRODUCER_FIRST)
    story.at(1, blocks_queued(), rank=1).at(2, *WRITING, write_finished())
    story.waits_for(Phase.REGISTRATION, P, rank=1)
    story.at(3, registration_noticed(), match_made(), rank=1).waits_for(Phase.WRITE, P, rank=1)
    assert story.row.ranks == (1, 2)


def test_a_write_that_the_consumer_heard_of_has_landed() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, *WRITING)
    story.at(1, notification_noticed()).at(5, write_finished())
    story.waits_for(Phase.COMPLETION, seconds=4)


def test_a_notification_without_a_rank_stands_for_the_only_write() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, *WRITING)
    story.at(1, notification_noticed(peer_rank=-1)).waits_for(Phase.COMPLETION, seconds=0)


def test_a_transfer_that_fails_waited_until_it_did() -> None:
    (
        Story()
        .at(0, *CONSUMER_FIRST)
        .at(5, receive_failed())
        .has_ended(Outcome.FAILED)
        .took(readiness=5)
    )  # fmt: skip


def test_a_request_that_ends_while_it_waits_still_holds_its_blocks() -> None:
    (
        Story()
        .at(0, *CONSUMER_FIRST)
        .at(5, request_finished(status="aborted", parked=True))
        .at(90)
        .waits_for(Phase.READINESS, seconds=90)
        .at(91, receive_finished())
        .has_ended(Outcome.ABANDONED)
    )  # fmt: skip


def test_marks_that_were_lost_leave_no_gap() -> None:
    (
        Story()
        .at(0, request_admitted())
        .at(2, registration_sent())
        .at(3, write_finished())
        .at(4, request_resumed())
        .took(registration=2, readiness=1, completion=1)
    )  # fmt: skip


def _rank_1() -> list[object]:
    return [registration_queued(), registration_sent()]


def fold(moments: list[Moment], now: int) -> tuple[Stretch, ...]:
    fleet = Fleet(CLOCK)
    for moment in moments:
        fleet.take(moment)
    (transfer,) = (*fleet.table.live.values(), *fleet.table.ended.values())
    return stretches(transfer, fleet.clocks, now)


def told(upto: int) -> list[Moment]:
    story = Story()
    for second, event in enumerate(WHOLE[:upto]):
        story.at(second, event)
    return story.moments


@given(st.integers(1, len(WHOLE)).flatmap(lambda n: st.permutations(told(n) + told(n))))
def test_any_order_and_any_repeat_give_the_same_phases(order: list[Moment]) -> None:
    upto = len(order) // 2
    now = upto * SECOND
    expected = fold(told(upto), now)
    assert fold(order, now) == expected


instants = st.none() | st.integers(-50, 50)


@given(
    st.builds(
        Cuts,
        start=st.integers(-50, 50),
        registered=instants,
        ready=instants,
        noticed=instants,
        met=instants,
        written=instants,
        end=instants,
    ),
    st.integers(-60, 60),
)
def test_the_phases_always_add_up(cuts: Cuts, now: int) -> None:
    found = cut_up(cuts, now)
    assert found[0].began == cuts.start
    assert all(one.ended == other.began for one, other in pairwise(found))
    assert all(one.phase is not other.phase for one, other in pairwise(found))
    end = max(cuts.start, now if cuts.end is None else cuts.end)
    assert found[-1].ended == (None if cuts.end is None else end)
    assert sum(spent(found, end).values()) == end - cuts.start


def test_a_transfer_of_which_nothing_is_known_has_waited_for_nothing_yet() -> None:
    assert stretches(Transfer(id="r1"), Clocks(CLOCK), 0) == (Stretch(Phase.READINESS, 0, None),)


def test_held_blocks_are_what_the_phase_of_readiness_ends_with() -> None:
    story = Story().at(0, prefill_admitted()).at(1, blocks_ready(held=False))
    story.has_ended(Outcome.ABANDONED)
