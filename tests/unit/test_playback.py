"""Recordings at their own pace, or another."""

from collections.abc import Callable

import pytest

from kvtrace.moments import Moment
from kvtrace.playback import FRAME, MAX, SPEEDS, Playback
from tests.unit.moments import SECOND, START, moment, record


class Clock:
    """A clock that moves when someone sleeps."""

    def __init__(self) -> None:
        self.now = 7 * SECOND
        self.asleep: Callable[[], object] = int

    def __call__(self) -> int:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += round(seconds * SECOND)
        self.asleep()


STREAM = [moment(1, record()), moment(1, record(seq=2)), moment(3, record(seq=3))]


def playback(clock: Clock, *, speed: float = 1.0) -> Playback:
    return Playback(START, length=3 * SECOND, speed=speed, now=clock, sleep=clock.sleep)


@pytest.mark.parametrize("speed", [0.1, 1.0, 10.0, 1000.0])
def test_it_takes_as_long_as_it_took_over_the_speed(speed: float) -> None:
    clock = Clock()
    list(playback(clock, speed=speed).play(STREAM))
    assert clock.now - 7 * SECOND == pytest.approx(3 * SECOND / speed, rel=0.01)


def test_every_moment_comes_and_silence_between() -> None:
    clock = Clock()
    found = list(playback(clock).play(STREAM))
    assert [one for one in found if one.news is not None] == STREAM
    assert len(found) == pytest.approx(3 * SECOND / FRAME, rel=0.1)


def test_time_never_goes_back_nor_ahead_of_what_comes_next() -> None:
    times = [one.at for one in playback(Clock(), speed=50.0).play(STREAM)]
    assert times == sorted(times)
    assert max(times) == START + 3 * SECOND


def test_at_the_highest_speed_the_moments_are_just_those_given() -> None:
    clock = Clock()
    assert list(playback(clock, speed=MAX).play(STREAM)) == STREAM
    assert clock.now == 7 * SECOND


def test_while_paused_time_stands_still() -> None:
    clock = Clock()
    played = playback(clock)
    moments = played.play(STREAM)
    next(moments)
    played.pause()
    where = played.position
    stood = [next(moments) for _ in range(10)]
    assert played.paused
    assert {one.at for one in stood} == {START + where}
    played.resume()
    assert not played.paused
    assert next(moments).at > START + where


def test_it_can_pause_at_the_highest_speed_too() -> None:
    played = playback(Clock(), speed=MAX)
    moments = played.play(STREAM)
    assert next(moments) == STREAM[0]
    played.pause()
    assert next(moments) == Moment(START + SECOND)
    played.resume()
    assert next(moments) == STREAM[1]


def test_pausing_twice_is_pausing_once() -> None:
    clock = Clock()
    played = playback(clock)
    played.pause()
    clock.sleep(5)
    played.pause()
    assert played.position == 0


def test_another_speed_goes_on_from_the_same_place() -> None:
    clock = Clock()
    played = playback(clock)
    clock.sleep(2)
    played.faster()
    assert (played.speed, played.position) == (2.0, 2 * SECOND)
    clock.sleep(1)
    assert played.position == 4 * SECOND


def test_speeds_have_a_lowest_and_a_highest() -> None:
    played = playback(Clock())
    for _ in SPEEDS:
        played.faster()
    assert played.speed == SPEEDS[-1]
    for _ in SPEEDS:
        played.slower()
    assert played.speed == SPEEDS[0]


def test_slower_than_the_highest_is_the_fastest_that_waits() -> None:
    played = playback(Clock(), speed=MAX)
    played.slower()
    assert played.speed == SPEEDS[-1]


def test_a_speed_between_steps_goes_to_the_next_step() -> None:
    played = playback(Clock(), speed=3.0)
    played.faster()
    assert played.speed == 5.0


def test_it_stops_even_while_it_is_paused() -> None:
    played = playback(Clock())
    moments = played.play(STREAM)
    next(moments)
    played.pause()
    next(moments)
    played.stop()
    assert list(moments) == []


def test_slow_reading_does_not_run_ahead_of_what_was_played() -> None:
    clock = Clock()
    played = playback(clock)
    moments = played.play(STREAM)
    clock.sleep(100)
    next(moments)
    assert played.position == SECOND
