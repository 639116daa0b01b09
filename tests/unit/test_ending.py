"""How transfers end, by story."""

import pytest

from kvtrace.ending import ending, seen_from_start
from kvtrace.events import AnyEvent
from kvtrace.model import Outcome
from kvtrace.transfer import Transfer
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    WRITING,
    blocks_queued,
    blocks_ready,
    blocks_released,
    lease_expired,
    prefill_admitted,
    receive_failed,
    receive_finished,
    registration_skipped,
    request_admitted,
    request_finished,
    request_resumed,
    send_reported,
    write_failed,
)
from tests.unit.story import Story


@pytest.mark.parametrize(
    ("last", "outcome"),
    [
        ([request_resumed()], Outcome.FINISHED),
        ([request_resumed(failed=True)], Outcome.FAILED),
        ([receive_failed(), request_resumed()], Outcome.FAILED),
        ([registration_skipped()], Outcome.FINISHED),
        ([request_finished()], Outcome.ABANDONED),
        ([request_finished(parked=True), receive_finished()], Outcome.ABANDONED),
        ([request_finished(parked=True), receive_failed()], Outcome.ABANDONED),
        (
            [request_finished(parked=True, status="FINISHED_ERROR"), receive_failed()],
            Outcome.FAILED,
        ),
        ([receive_finished(), request_finished()], Outcome.FINISHED),
        ([request_resumed(), request_finished(parked=False)], Outcome.FINISHED),
    ],
)
def test_the_consumer_says_how_it_ended(last: list[AnyEvent], outcome: Outcome) -> None:
    Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST).at(1, *last).has_ended(outcome)


@pytest.mark.parametrize(
    ("last", "outcome"),
    [
        ([send_reported()], Outcome.FINISHED),
        ([blocks_released()], Outcome.FINISHED),
        ([lease_expired()], Outcome.ABANDONED),
        ([lease_expired(), blocks_released(), send_reported()], Outcome.ABANDONED),
        ([write_failed(), lease_expired()], Outcome.FAILED),
    ],
)
def test_a_producer_alone_says_it_as_far_as_it_can(last: list[AnyEvent], outcome: Outcome) -> None:
    Story().at(0, *PRODUCER_FIRST).at(1, *last).has_ended(outcome)


@pytest.mark.parametrize(
    ("status", "outcome"), [("error", Outcome.FAILED), ("aborted", Outcome.ABANDONED)]
)
def test_a_prefill_that_holds_no_blocks_is_over(status: str, outcome: Outcome) -> None:
    story = Story().at(0, prefill_admitted()).at(1, blocks_ready(held=False, status=status))
    story.has_ended(outcome)


def test_what_the_producer_says_does_not_end_the_consumers_wait() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, *WRITING)
    assert story.at(1, send_reported(), blocks_released(), lease_expired()).row.age == 10**9


def test_every_rank_that_took_the_blocks_has_to_report() -> None:
    story = Story().at(0, *PRODUCER_FIRST).at(0, blocks_queued(), rank=1)
    assert story.at(1, send_reported()).row
    story.at(2, send_reported(), rank=1).has_ended(Outcome.FINISHED)


def test_a_transfer_without_halves_has_not_ended() -> None:
    assert ending(Transfer(id="x")) is None
    assert not seen_from_start(Transfer(id="x"))


def test_what_was_not_seen_from_its_start_is_neither_counted_nor_shown() -> None:
    snapshot = Story().at(0, receive_finished()).at(1, request_resumed()).snapshot
    assert snapshot.totals.finished == 0
    assert snapshot.done == ()
    assert Story().at(0, request_admitted(), request_resumed()).snapshot.totals.finished == 1
