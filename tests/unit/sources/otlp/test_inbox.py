"""What waits to be taken in, and how much may."""

from kvtrace.sources.otlp.inbox import Inbox
from tests.unit.sources.otlp.requests import record


def test_what_is_put_is_taken_once_and_in_order() -> None:
    inbox = Inbox()
    inbox.put([record(1), record(2)], 10)
    inbox.put([record(3)], 10)
    assert inbox.waiting == 3
    assert inbox.take() == [record(1), record(2), record(3)]
    assert (inbox.take(), inbox.waiting) == ([], 0)


def test_it_is_full_by_number_or_by_bytes_until_it_is_taken() -> None:
    for inbox in (Inbox(most_news=2), Inbox(most_bytes=20)):
        inbox.put([record(1)], 10)
        assert not inbox.is_full
        inbox.put([record(2)], 10)
        assert inbox.is_full
        inbox.take()
        assert not inbox.is_full


def test_waiting_ends_at_once_where_something_is_there() -> None:
    inbox = Inbox()
    inbox.wait(0)
    inbox.put([record(1)], 1)
    inbox.wait(60)
