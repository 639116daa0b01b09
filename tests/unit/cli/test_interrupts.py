"""Ctrl-C and SIGTERM."""

import os
import signal

import pytest

from kvtrace.cli.interrupts import SIGNALS, asked_to_stop, left_at_once, until


@pytest.mark.parametrize("number", SIGNALS)
def test_the_first_signal_asks(number: signal.Signals) -> None:
    with asked_to_stop() as stop:
        assert not stop.is_set()
        os.kill(os.getpid(), number)
        assert stop.is_set()


def test_the_second_signal_interrupts() -> None:
    with asked_to_stop():
        os.kill(os.getpid(), signal.SIGTERM)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("number", SIGNALS)
def test_what_leaves_nothing_half_done_is_left_at_once(number: signal.Signals) -> None:
    reached = False
    with left_at_once():
        os.kill(os.getpid(), number)
        reached = True
    assert not reached


def test_what_heard_them_before_hears_them_again() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    with asked_to_stop():
        pass
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_items_come_until_it_is_asked_to_stop() -> None:
    with asked_to_stop() as stop:
        items = until(stop, iter("abc"))
        assert next(items) == "a"
        stop.set()
        assert list(items) == []


def test_a_terminal_that_goes_is_not_heard_under_nohup() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with asked_to_stop() as stop:
            os.kill(os.getpid(), signal.SIGHUP)
            assert not stop.is_set()
    finally:
        signal.signal(signal.SIGHUP, before)
