"""One look through a whole recording."""

import pytest

from kvtrace.checkpoints import Checkpoints
from kvtrace.events import ReceiveFailed, RequestAdmitted
from kvtrace.marks import Kind, Marks
from kvtrace.model import Role
from kvtrace.moments import Ended, Moment
from kvtrace.survey import survey
from kvtrace.walk import Walk
from tests.unit.moments import SECOND, START, moment, record
from tests.unit.replays import BUSY, Reel, length, walk

D = {"engine": "decode-0", "role": Role.CONSUMER, "process": "d" * 32}


def last(moments: list[Moment], clock: str = "boot") -> Marks:
    *_, found = survey(walk(moments, clock), START, length(moments), Checkpoints())
    return found


def kinds(found: Marks) -> set[Kind]:
    return {one.kind for one in found.marked}


def test_it_counts_every_event_and_is_whole_at_last() -> None:
    found = last(BUSY, "boot-1")
    assert found.whole
    assert found.events == sum(found.density) == sum(one.news is not None for one in BUSY)


def test_a_stall_is_marked_when_patience_ran_out() -> None:
    admitted = record(RequestAdmitted(request="r1-aaaaaaaa", producer="prefill-0"), **D)
    found = last([moment(0, admitted), *(moment(second) for second in range(1, 100))])
    [stall] = [one for one in found.marked if one.kind is Kind.STALLED]
    assert 0 < stall.position < 99 * SECOND


def test_a_failure_is_marked_when_it_was_known() -> None:
    admitted = record(RequestAdmitted(request="r1-aaaaaaaa", producer="prefill-0"), **D)
    failed = record(ReceiveFailed(request="r1-aaaaaaaa"), seq=2, **D)
    found = last([moment(0, admitted), moment(3, failed), moment(9)])
    [mark] = [one for one in found.marked if one.kind is Kind.FAILED]
    assert mark.position == 3 * SECOND


def test_an_engine_that_goes_is_marked() -> None:
    gone = Ended(process="d" * 32, goodbye=False)
    assert Kind.ENGINE in kinds(last([moment(0, record()), moment(1, gone)]))


def test_where_a_recording_is_torn_is_marked() -> None:
    reel = Reel([moment(0, record()), moment(1)])
    walked = Walk(reel)
    reel.damage = "breaks off in the middle of a line"
    *_, found = survey(walked, START, SECOND, Checkpoints())
    assert Kind.TORN in kinds(found)


@pytest.mark.parametrize("moments", [[], [moment(0)]])
def test_next_to_nothing_is_looked_through_too(moments: list[Moment]) -> None:
    assert last(moments).whole
