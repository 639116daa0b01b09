"""How a half ended."""

import pytest

from kvtrace.events import AnyEvent
from kvtrace.model import Outcome, Role
from kvtrace.signals.account import Account
from kvtrace.signals.closing import Closing, Gone, belongs, can_end, closing, start_of, summary
from tests.unit import samples
from tests.unit.signals.telling import account_of
from tests.unit.story import CLOCK, SECOND, D, Story


def closed(account: Account, gone: Gone | None = None) -> Closing:
    found = closing(account, gone, CLOCK)
    assert found is not None
    return found


def consumer(*events: AnyEvent) -> Account:
    return account_of(Story().at(1, *samples.CONSUMER_FIRST).at(3, *events, by=D))


def producer(*events: AnyEvent) -> Account:
    story = Story().at(1, *samples.PRODUCER_FIRST, *samples.WRITING).at(3, *events)
    return account_of(story, Role.PRODUCER)


def test_a_half_in_flight_has_not_ended() -> None:
    assert closing(consumer(), None, CLOCK) is None
    assert closing(producer(), None, CLOCK) is None


def test_a_consumer_s_half_ends_when_its_request_is_scheduled_again() -> None:
    found = closed(consumer(samples.receive_finished(), samples.request_resumed()))
    assert (found.outcome, found.end, found.settled) == (Outcome.FINISHED, 3 * SECOND, True)
    assert found.error_type == ""


def test_a_producer_s_half_ends_when_its_blocks_are_released() -> None:
    told = producer(samples.write_finished(), samples.send_reported())
    assert not closed(told).settled
    story = Story().at(1, *samples.PRODUCER_FIRST).at(3, samples.send_reported())
    found = closed(account_of(story.at(4, samples.blocks_released()), Role.PRODUCER))
    assert (found.outcome, found.end, found.settled) == (Outcome.FINISHED, 4 * SECOND, True)


@pytest.mark.parametrize(
    ("event", "error", "error_type"),
    [
        (samples.handshake_failed(error="x", error_type="Again"), "x", "Again"),
        (samples.registration_send_failed(error="x"), "x", "registration.send_failed"),
        (
            samples.failure_logged(request=samples.D_REQUEST, error="x"),
            "x",
            "handshake_failed",
        ),
        (samples.registration_staged(), "its KV will not come", "receive.failed"),
    ],
)
def test_one_that_failed_says_what_failed_last(
    event: AnyEvent, error: str, error_type: str
) -> None:
    found = closed(consumer(event, samples.receive_failed()))
    assert (found.outcome, found.error, found.error_type) == (Outcome.FAILED, error, error_type)


def test_one_that_was_given_up_says_why() -> None:
    expired = closed(producer(samples.lease_expired()))
    assert (expired.outcome, expired.error_type) == (Outcome.ABANDONED, "lease.expired")
    assert expired.error == ""
    story = Story().at(1, *samples.CONSUMER_FIRST).at(2, samples.request_finished(parked=True))
    aborted = closed(account_of(story.at(3, samples.receive_finished())))
    assert (aborted.outcome, aborted.error_type) == (Outcome.ABANDONED, "request.aborted")


def test_its_own_word_counts_more_than_the_death_of_a_process() -> None:
    gone = Gone("D0/0", False, 9 * SECOND)
    found = closed(consumer(samples.receive_finished(), samples.request_resumed()), gone)
    assert found.outcome is Outcome.FINISHED


def test_what_was_told_after_the_end_is_no_part_of_it() -> None:
    account = consumer(samples.receive_finished(), samples.request_resumed())
    found = closed(account)
    assert all(belongs(record, found) for record, _ in account.records)
    late = account_of(Story().at(9, samples.request_finished())).records[0][0]
    assert not belongs(late, found)


def test_a_root_says_who_and_how_much() -> None:
    account = producer(samples.write_finished(size=5), samples.blocks_released())
    assert summary(account, closed(account)) == {
        "kvtrace.engine": "P0",
        "kvtrace.outcome": "finished",
        "kvtrace.peer_engine": "D0",
        "kvtrace.tokens": 100,
        "kvtrace.size": 5,
    }
    assert start_of(account) == SECOND


def test_a_root_whose_beginning_was_not_seen_says_so() -> None:
    story = Story().at(1, samples.registration_queued()).at(2, samples.request_resumed())
    account = account_of(story)
    assert summary(account, closed(account))["kvtrace.partial"] is True


def test_blocks_that_are_held_end_nothing() -> None:
    assert not can_end(samples.blocks_ready())
    assert can_end(samples.blocks_ready(held=False))
    assert can_end(samples.request_resumed())
    assert not can_end(samples.registration_sent())
