"""Stories of transfers that finished late."""

import msgspec

from kvtrace.causes import Cause
from kvtrace.events import AnyEvent
from kvtrace.model import Role
from tests.unit.samples import (
    CONSUMER_FIRST,
    LANDING,
    PRODUCER_FIRST,
    WHOLE,
    match_made,
    process_started,
    registration_noticed,
    step_sampled,
    write_finished,
    write_posted,
)
from tests.unit.story import SECOND, D, P, Story

MS = SECOND // 1_000


def written(took: float, **finished: int) -> list[AnyEvent]:
    return [
        write_finished(transfer=round(took * SECOND), **finished),
        *(one for one in LANDING if not isinstance(one, write_finished.func)),
    ]


def healthy(story: Story, number: int, at: float) -> None:
    for place, event in enumerate(WHOLE):
        told = {
            name: getattr(event, name).replace("r1", f"n{number}")
            for name in ("request", "remote_request")
            if getattr(event, name, "")
        }
        story.at(at + place / 500, msgspec.structs.replace(event, **told))


def steady(count: int = 25) -> Story:
    story = Story()
    for number in range(count):
        healthy(story, number, number / 5)
    return story


def late(story: Story, at: float, took: float) -> Story:
    story.at(at, *CONSUMER_FIRST, *PRODUCER_FIRST, registration_noticed(), match_made())
    story.at(at, write_posted())
    return story.at(at + took, *written(took, size=1 << 20))


def test_steady_load_is_not_slow() -> None:
    story = steady(60)
    assert story.at(20).diagnoses() == {}


def test_one_that_takes_far_longer_than_its_link_does_is_slow() -> None:
    story = late(steady(), 10, 4.9)
    story.is_blamed_on(Cause.SLOW, "4.90 s of it were wire")


def test_one_that_takes_somewhat_longer_is_not() -> None:
    late(steady(), 10, 0.9).is_blamed_on(None)


def in_a_queue(others: int) -> Story:
    """All come at once, r1 too, and P serves one after the other, r1 last of all."""
    story = steady()
    story.at(10, *CONSUMER_FIRST, *PRODUCER_FIRST, registration_noticed(), match_made())
    for number in range(others):
        healthy(story, 100 + number, 10.1 + number * 2 / max(others, 1))
    return story.at(12.4, write_posted(), *written(0.01, size=1 << 20))


def test_one_that_comes_after_many_others_stands_in_a_queue_and_is_not_slow() -> None:
    assert in_a_queue(80).diagnoses() == {}


def test_one_that_comes_after_few_others_is_slow() -> None:
    in_a_queue(5).is_blamed_on(Cause.SLOW)


def test_where_nothing_is_usual_yet_nothing_is_slow() -> None:
    late(Story(), 10, 4.9).is_blamed_on(None)


def test_a_write_of_many_small_descriptors_is_blamed_on_them() -> None:
    story = Story().at(0, process_started(engine="P0", block_size=16), by=P)
    story.at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, registration_noticed(), match_made())
    story.at(2, write_posted(post=1_900 * MS, descriptors=40_000))
    story.at(2.1, *written(2, size=40_000 * 4_096, descriptors=40_000, post=1_900 * MS))
    story.is_blamed_on(Cause.TOO_MANY_DESCRIPTORS, "1.90 s to post 40,000 descriptors of 4.1 kB")
    assert story.diagnosis is not None
    assert "block size (now 16)" in story.diagnosis.remedy


def test_a_long_post_of_large_descriptors_is_not() -> None:
    story = Story()
    story.at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, registration_noticed(), match_made())
    story.at(2, write_posted(post=1_900 * MS, descriptors=4))
    story.at(2.1, *written(2, size=40_000 * 4_096, descriptors=4, post=1_900 * MS))
    story.is_not_blamed_on(Cause.TOO_MANY_DESCRIPTORS)


def large(tls: str, took: float) -> Story:
    story = Story().at(0, process_started(engine="D0", facts={"UCX_TLS": tls}), by=D)
    story.at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, registration_noticed(), match_made())
    return story.at(0, write_posted()).at(took, *written(took, size=1 << 30))


def test_a_large_write_that_crawls_with_only_tcp_set_is_blamed_on_it() -> None:
    large("tcp,self", 10).is_blamed_on(Cause.KV_GOES_OVER_TCP, "the lane is tcp")


def test_a_fast_one_or_one_with_other_lanes_is_not() -> None:
    large("tcp,self", 0.5).is_blamed_on(None)
    large("rc,tcp,self", 10).is_blamed_on(None)


def two_ranks(slowest: float) -> Story:
    story = Story().at(0, *CONSUMER_FIRST)
    story.at(0, *PRODUCER_FIRST[:3])
    for rank in (0, 1):
        story.at(0, *PRODUCER_FIRST[3:], registration_noticed(), match_made(), rank=rank)
        story.at(0, write_posted(), rank=rank)
    story.at(1, write_finished(size=1 << 30, transfer=SECOND), rank=0)
    story.at(slowest, write_finished(size=1 << 30, transfer=round(slowest * SECOND)), rank=1)
    return story.at(slowest, *(e for e in LANDING if not isinstance(e, write_finished.func)))


def test_a_rank_that_writes_far_slower_than_the_other_is_named() -> None:
    two_ranks(6).is_blamed_on(
        Cause.WRONG_NIC, "P0 rank 1 wrote at 0.18 GB/s, P0 rank 0 at 1.1 GB/s"
    )


def test_ranks_that_write_about_alike_are_not() -> None:
    two_ranks(2).is_not_blamed_on(Cause.WRONG_NIC)


def stepping(longest: int) -> Story:
    story = Story().at(0, step_sampled(longest=longest), rank=0, by=D)
    story.at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, registration_noticed(), match_made())
    return story.at(0, write_posted()).at(0.1, *LANDING[:2]).at(3, *LANDING[2:])


def test_a_wait_for_long_steps_is_blamed_on_them() -> None:
    story = stepping(800 * MS)
    story.is_blamed_on(Cause.WAITS_FOR_ENGINE_STEPS, "were steps of D0, up to 800 ms each")


def test_one_step_that_is_out_of_all_proportion_was_held_up_from_outside() -> None:
    story = Story().at(0, step_sampled(longest=90 * MS), rank=0, by=D)
    story.at(0.1, step_sampled(longest=2_800 * MS), rank=0, by=D)
    story.at(0.1, *CONSUMER_FIRST, *PRODUCER_FIRST, registration_noticed(), match_made())
    story.at(0.1, write_posted()).at(0.2, *LANDING[:2]).at(3.1, *LANDING[2:])
    story.is_blamed_on(
        Cause.WAITS_FOR_ENGINE_STEPS, "one of 2.80 s where no other took more than 90.0 ms"
    )


def test_a_wait_beside_short_steps_is_not() -> None:
    stepping(20 * MS).is_not_blamed_on(Cause.WAITS_FOR_ENGINE_STEPS)


def test_a_transfer_of_which_a_half_is_not_seen_is_not_judged() -> None:
    story = Story().at(0, *CONSUMER_FIRST).at(9, *(e for e in LANDING if e.role is Role.CONSUMER))
    story.is_blamed_on(None)
