"""What a receiver gives to whoever asks, without its thread."""

import pytest

from kvtrace.errors import ReceiverError
from kvtrace.moments import Lost, Moment
from kvtrace.sources.otlp.address import Address
from kvtrace.sources.otlp.receiver import Receiver, Setup
from kvtrace.sources.otlp.refusal import Reason
from tests.unit.sources.otlp.requests import record


def receiver() -> Receiver:
    return Receiver(Setup(grpc=None, http=Address("127.0.0.1", 4318)))


def test_what_arrived_comes_between_the_moments_of_others() -> None:
    made = receiver()
    made.inbox.put([record(1), record(2)], 10)
    others = [Moment(1), Moment(2)]
    assert list(made.beside(others, lambda: 7)) == [
        Moment(1),
        Moment(7, record(1)),
        Moment(7, record(2)),
        Moment(2),
    ]


def test_what_was_refused_is_news_too() -> None:
    made = receiver()
    made.counts.refuse(Reason.FULL)
    assert list(made.moments(5)) == [Moment(5, Lost(turned_away=1))]
    assert list(made.moments(6)) == []


def test_watching_tells_the_time_until_told_to_stop() -> None:
    made = receiver()
    made.inbox.put([record(1)], 10)
    told = iter((False, True))
    found = list(made.watch(lambda: next(told), now=lambda: 3))
    assert found == [Moment(3), Moment(3, record(1))]


def test_health_tells_where_it_listens_and_what_it_is_told_to_add() -> None:
    made = receiver()
    made.more = {"engines": 2}
    told = made.health()
    assert (told["status"], told["http"], told["grpc"]) == ("not ready", "127.0.0.1:4318", None)
    assert told["engines"] == 2


def test_stopping_what_never_began_does_nothing() -> None:
    receiver().stop()


def test_an_address_that_cannot_be_had_is_an_error_of_ours() -> None:
    with pytest.raises(ReceiverError, match="name an address of this host"):
        Receiver(Setup(grpc=Address("192.0.2.1", 1), http=None)).start()
