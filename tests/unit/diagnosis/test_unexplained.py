"""Where no rule knows, nothing is invented."""

from kvtrace.causes import Cause
from kvtrace.cli import kvtrace
from kvtrace.diagnosed import Confidence
from kvtrace.diagnosis.unexplained import KEEP
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    registration_noticed,
    request_finished,
)
from tests.unit.story import P, Story


def test_the_last_on_each_side_and_the_next_expected_are_told() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST, registration_noticed()).at(60)
    found = story.is_blamed_on(Cause.UNEXPLAINED, "Expected next: match made at P0").diagnosis
    assert found is not None
    assert found.confidence is Confidence.NONE
    assert [one.event for one in found.evidence if one.missing] == ["match.made"]
    assert f"`{KEEP}`" in found.remedy
    assert {one.place.engine for one in found.evidence if one.place} == {"P0", "D0"}


def test_a_side_that_is_not_heard_is_named() -> None:
    Story().at(0, *CONSUMER_FIRST).at(60).is_blamed_on(Cause.UNEXPLAINED).is_unsure("P0")


def test_a_dead_scheduler_does_not_stop_it() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST).dies(P).at(60)
    assert story.diagnosis is not None


def test_what_it_says_to_run_can_be_run() -> None:
    command, *arguments = KEEP.split()
    assert command == "kvtrace"
    asked = kvtrace.make_context("kvtrace", arguments)
    record = kvtrace.get_command(asked, arguments[0])
    assert record is not None
    assert record.make_context("record", arguments[1:]).params["dead_for"] == 24 * 3_600 * 10**9


def test_a_request_of_which_only_the_end_was_told_has_waited_for_nothing_known() -> None:
    ended = request_finished(request="r1-bbbbbbbb", status="FINISHED_ABORTED", parked=True)
    Story().at(0, ended, by=P).at(40).is_blamed_on(Cause.ABORTED_BLOCKS_HELD)
