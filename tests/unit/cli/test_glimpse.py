"""Listening for as long as it takes to show something once."""

from collections.abc import Callable, Iterator

import pytest

from kvtrace.cli.glimpse import first_heard
from kvtrace.errors import KvtraceError
from kvtrace.moments import Lost, Moment, News
from tests.unit.moments import record

SECOND = 1_000_000_000


class Scripted:
    """A receiver, and the clock: at each second that is named, that arrives."""

    def __init__(self, script: dict[int, News], rest: tuple[News, ...] = ()) -> None:
        self.script, self.rest = script, rest
        self.second = 0
        self.stopped = False

    def now(self) -> int:
        return self.second * SECOND

    def watch(self, stop: Callable[[], bool]) -> Iterator[Moment]:
        while not stop():
            yield Moment(self.now(), self.script.get(self.second))
            self.second += 1

    def stop(self) -> None:
        self.stopped = True

    def moments(self, at: int) -> Iterator[Moment]:
        return (Moment(at, news) for news in self.rest)


def heard(receiver: Scripted, limit: int, stop: Callable[[], bool] = lambda: False) -> list[News]:
    shown = first_heard(receiver, limit * SECOND, stop, receiver.now)
    return [moment.news for moment in shown if moment.news is not None]


def test_it_ends_a_moment_after_the_first_word_and_hears_who_speaks_in_it() -> None:
    late = {3: record(seq=1), 4: record(seq=2), 9: record(seq=3)}
    receiver = Scripted(dict(late))
    assert heard(receiver, 30) == [late[3], late[4]]
    assert receiver.second == 5
    assert receiver.stopped


def test_where_nothing_comes_it_says_so_after_the_time_that_was_given() -> None:
    receiver = Scripted({2: Lost(turned_away=1), 9: record(seq=1)})
    with pytest.raises(KvtraceError, match=r"no agent sent anything within 5.* --for"):
        heard(receiver, 5)
    assert receiver.second == 5


def test_where_only_others_sent_something_it_says_so() -> None:
    receiver = Scripted({2: Lost(foreign=3)}, (Lost(foreign=4),))
    with pytest.raises(KvtraceError, match="only others did, 7 log records and spans: see"):
        heard(receiver, 5)


def test_what_was_acknowledged_at_the_last_moment_counts() -> None:
    last = record(seq=1)
    assert heard(Scripted({}, (last,)), 1) == [last]


def test_it_ends_at_once_when_it_is_told_to() -> None:
    receiver = Scripted({})
    with pytest.raises(KeyboardInterrupt):
        heard(receiver, 30, lambda: True)
    assert receiver.second == 0


def test_who_cuts_it_off_before_anyone_spoke_has_cut_it_off() -> None:
    receiver = Scripted({9: record(seq=1)})
    with pytest.raises(KeyboardInterrupt):
        heard(receiver, 30, lambda: receiver.second == 2)


def test_who_cuts_it_off_later_sees_what_there_was() -> None:
    first = record(seq=1)
    receiver = Scripted({1: first})
    assert heard(receiver, 30, lambda: receiver.second == 2) == [first]
