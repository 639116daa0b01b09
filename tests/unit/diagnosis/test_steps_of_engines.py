"""Stories of what engines' steps, cores and buffers cost."""

from kvtrace.causes import Cause
from kvtrace.events import StepSampled
from kvtrace.model import Outcome
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    WRITING,
    completion_counted,
    notification_noticed,
    process_started,
    receive_finished,
    receive_reported,
    request_resumed,
    step_sampled,
    write_finished,
)
from tests.unit.story import SECOND, D, Engine, P, Story

RECEIVED = (receive_reported(), receive_finished(), request_resumed())


def noticed_late(gap: float, step: float) -> Story:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, *WRITING)
    story.at(0.01, write_finished(transfer=SECOND // 1000, post=1000))
    story.at(3, step_sampled(longest=round(step * SECOND)), by=D)
    story.at(3, notification_noticed(gap=round(gap * SECOND)), completion_counted(), *RECEIVED)
    return story.has_ended(Outcome.FINISHED)


def test_a_notification_that_lay_until_the_step_ended_is_named() -> None:
    story = noticed_late(gap=3, step=3)
    story.is_blamed_on(Cause.NOTIFICATIONS_WAIT_FOR_STEPS, "D0 rank 0 looked for messages")
    story.is_sure()


def test_a_notification_that_was_long_on_the_way_is_not() -> None:
    noticed_late(gap=0.01, step=3).is_not_blamed_on(Cause.NOTIFICATIONS_WAIT_FOR_STEPS)


def test_a_consumer_of_short_steps_is_not_to_blame_by_them() -> None:
    noticed_late(gap=3, step=0.05).is_not_blamed_on(Cause.NOTIFICATIONS_WAIT_FOR_STEPS)


def copied(seconds: float, buffer: str) -> Story:
    story = Story().at(0, process_started(engine="D0", facts={"host_buffer": buffer}), by=D)
    story.at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, *WRITING)
    story.at(0.01, write_finished(transfer=1000), notification_noticed(), completion_counted())
    return story.at(0.01 + seconds, *RECEIVED).has_ended(Outcome.FINISHED)


def test_a_copy_from_the_host_that_takes_most_of_the_handoff_is_named() -> None:
    copied(2, "True").is_blamed_on(Cause.HOST_BUFFER, "took 2.00 s to copy").is_sure()


def test_the_same_wait_without_a_host_buffer_has_another_cause() -> None:
    copied(2, "False").is_not_blamed_on(Cause.HOST_BUFFER)


def test_a_copy_of_less_than_a_second_is_healthy() -> None:
    copied(0.1, "True").is_blamed_on()
    copied(0.9, "True").is_blamed_on()


def spinning(until: int, **sample: int) -> Story:
    story = Story().at(0, *CONSUMER_FIRST)
    event = StepSampled(window=SECOND, **{"steps": 950, **sample})
    for second in range(until - 8, until):
        story.at(second, event, by=D)
    return story.at(until)


def test_an_engine_that_spins_for_what_waits_long_is_named() -> None:
    assert Cause.PARKED_ENGINES_SPIN in spinning(40).engine_causes


def test_an_engine_that_spins_for_a_moment_waits_as_vllm_does() -> None:
    assert Cause.PARKED_ENGINES_SPIN not in spinning(15).engine_causes


def test_an_engine_that_runs_its_model_does_not_spin() -> None:
    assert Cause.PARKED_ENGINES_SPIN not in spinning(40, forwards=200).engine_causes


def test_an_engine_that_steps_seldom_does_not_spin() -> None:
    assert Cause.PARKED_ENGINES_SPIN not in spinning(40, steps=40).engine_causes


def test_an_engine_that_stopped_spinning_does_not() -> None:
    story = spinning(40).at(41, step_sampled(steps=2), by=D).at(48)
    assert Cause.PARKED_ENGINES_SPIN not in story.engine_causes


def bound(p: str, d: str, consumer: Engine = D) -> Story:
    story = Story().at(0, process_started(engine="P0", rank=0, facts={"cpus": p}), by=P)
    return story.at(0, process_started(engine="D0", facts={"cpus": d}), by=consumer).at(2)


def test_two_ranks_with_one_core_for_all_their_kv_threads_are_named() -> None:
    assert bound("7", "7").engine_causes == {Cause.ONE_CORE_FOR_KV}


def test_ranks_with_a_core_of_their_own_are_not() -> None:
    assert bound("3", "7").engine_causes == set()


def test_ranks_that_share_several_cores_are_not() -> None:
    assert bound("6,7", "6,7").engine_causes == set()


def test_a_core_of_the_same_number_on_another_host_is_another_core() -> None:
    elsewhere = Engine(name="D0", role=D.role, clock="host-2")
    assert bound("7", "7", elsewhere).engine_causes == set()


def test_a_rank_that_is_gone_takes_no_core() -> None:
    assert bound("7", "7").dies(D, rank=0).at(4).engine_causes == set()
