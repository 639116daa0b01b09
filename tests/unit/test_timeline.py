"""One transfer opened."""

from kvtrace.lanes import Lane
from kvtrace.model import SCHEDULER, Outcome, Role
from kvtrace.timeline import Timeline, timeline
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    WHOLE,
    WRITING,
    handshake_failed,
    handshake_finished,
    handshake_started,
    notification_noticed,
    registration_noticed,
    registration_queued,
    registration_sent,
    request_admitted,
    write_finished,
)
from tests.unit.story import SECOND, P, Story


def opened(story: Story) -> Timeline:
    snapshot = story.snapshot
    transfer = snapshot.rows[0].transfer if snapshot.rows else snapshot.done[0].transfer
    return timeline(transfer, snapshot.clocks, snapshot.at, snapshot.handshakes)


def whole() -> Story:
    story = Story()
    for second, event in enumerate(WHOLE):
        story.at(second, event)
    return story


def places(found: Timeline) -> list[tuple[str, int, str]]:
    return [(lane.place.role.value, lane.place.rank, lane.handshake) for lane in found.lanes]


def lane(found: Timeline, role: Role, rank: int, handshake: str = "") -> Lane:
    return next(
        lane
        for lane in found.lanes
        if (lane.place.role, lane.place.rank, lane.handshake) == (role, rank, handshake)
    )


def test_lanes_go_from_consumer_to_producer() -> None:
    story = Story().at(0, *CONSUMER_FIRST, handshake_started(), *PRODUCER_FIRST, *WRITING)
    story.at(1, registration_queued(), rank=1).at(1, write_finished(), rank=1)
    story.at(1, handshake_started(request="r1-aaaaaaaa", side="P", peer="D0"), by=P)
    assert places(opened(story)) == [
        ("D", SCHEDULER, ""),
        ("D", 0, ""),
        ("D", 1, ""),
        ("D", 0, "P0"),
        ("P", 0, "D0"),
        ("P", 0, ""),
        ("P", 1, ""),
        ("P", SCHEDULER, ""),
    ]


def test_every_event_is_a_point_in_its_own_lane() -> None:
    found = opened(whole())
    assert sum(len(lane.points) for lane in found.lanes) == len(WHOLE)
    for one in found.lanes:
        assert [point.at for point in one.points] == sorted(point.at for point in one.points)
        assert all(point.place == one.place and point.error == 0 for point in one.points)


def test_shares_add_up_to_the_whole() -> None:
    found = opened(whole())
    assert found.outcome is Outcome.FINISHED
    assert sum(share.took for share in found.stretches) == found.end - found.start
    assert abs(sum(share.share for share in found.stretches) - 1) < 1e-9


def test_what_lasted_is_a_bar() -> None:
    found = opened(whole())
    (prefill,) = lane(found, Role.PRODUCER, SCHEDULER).bars
    assert (prefill.kind, prefill.began, prefill.ended) == ("prefill", 6 * SECOND, 7 * SECOND)
    (write,) = lane(found, Role.PRODUCER, 0).bars
    assert (write.kind, write.peer_rank, write.failed) == ("write", 0, False)
    assert write.ended == 16 * SECOND


def test_what_still_lasts_is_a_bar_without_an_end() -> None:
    found = opened(Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST).at(1, *WRITING).at(9))
    (write,) = lane(found, Role.PRODUCER, 0).bars
    assert write.ended is None
    assert found.end == 9 * SECOND
    assert found.outcome is None


def test_a_handshake_told_without_a_request_is_shown_with_whom_it_held_up() -> None:
    story = Story().at(0, *CONSUMER_FIRST[:5])
    story.at(1, handshake_started(request="")).at(2, handshake_failed(request="", took=SECOND))
    story.at(2, handshake_started(request="", peer="P9"))
    (bar,) = lane(opened(story), Role.CONSUMER, 0, "P0").bars
    assert (bar.began, bar.ended, bar.failed) == (1 * SECOND, 2 * SECOND, True)
    assert all(lane.handshake != "P9" for lane in opened(story).lanes)


def test_a_handshake_whose_start_was_not_seen_is_as_long_as_it_took() -> None:
    story = Story().at(3, request_admitted(), handshake_finished(took=SECOND))
    (bar,) = lane(opened(story), Role.CONSUMER, 0, "P0").bars
    assert (bar.began, bar.ended) == (2 * SECOND, 3 * SECOND)


def test_messages_link_the_lanes() -> None:
    registration, completion = opened(whole()).messages
    assert (registration.kind, registration.sent, registration.noticed) == (
        "registration",
        5 * SECOND,
        11 * SECOND,
    )
    assert (registration.source.role, registration.target.role) == (Role.CONSUMER, Role.PRODUCER)
    assert (completion.kind, completion.sent, completion.noticed) == (
        "completion",
        15 * SECOND,
        15 * SECOND,
    )


def test_a_message_that_did_not_arrive_has_no_other_end() -> None:
    story = Story().at(0, *CONSUMER_FIRST, registration_sent(peer_rank=1))
    assert [message.noticed for message in opened(story).messages] == [None, None]


def test_registrations_with_one_rank_arrive_in_the_order_they_were_sent() -> None:
    story = Story().at(0, *CONSUMER_FIRST).at(0, *PRODUCER_FIRST)
    story.at(1, registration_noticed(peer="a")).at(2, registration_sent(), rank=1)
    assert [message.noticed for message in opened(story).messages] == [1 * SECOND, None]
    story.at(3, registration_noticed(peer="b"))
    assert [message.noticed for message in opened(story).messages] == [1 * SECOND, 3 * SECOND]


def test_only_one_missing_step_holds_up_the_others() -> None:
    found = opened(Story().at(0, *CONSUMER_FIRST))
    assert [due.first for due in found.missing].count(True) == 1
    assert found.missing[0].kind == "blocks.ready"
    assert opened(whole()).missing == ()


def test_a_side_that_tells_nothing_is_not_taken_for_idle() -> None:
    found = opened(Story().at(0, *CONSUMER_FIRST))
    assert not lane(found, Role.PRODUCER, SCHEDULER).seen
    assert lane(found, Role.CONSUMER, SCHEDULER).seen
    found = opened(Story().at(0, *PRODUCER_FIRST))
    assert found.lanes[0].place.engine == ""


def test_the_error_is_the_largest_of_the_clocks_in_use() -> None:
    far = Story().at(0, request_admitted()).at(1, notification_noticed())
    assert opened(far).error == 0
