"""Every stalled transfer has a diagnosis, and no other."""

from kvtrace.causes import Cause
from kvtrace.diagnosis.rounds import FRESH
from kvtrace.moments import Moment
from kvtrace.monitor import watch
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    WHOLE,
    registration_expired,
    request_admitted,
    request_finished,
)
from tests.unit.story import CLOCK, SECOND, P, Story


def test_a_healthy_transfer_has_none() -> None:
    story = Story()
    for number, event in enumerate(WHOLE[:-1]):
        story.at(number / 100, event).is_blamed_on(None)
    story.at(1, WHOLE[-1]).is_blamed_on(None)


def test_two_faults_at_once_give_two_diagnoses() -> None:
    story = Story().at(0, *PRODUCER_FIRST).at(0, request_admitted(request="r2-cccccccc")).at(40)
    assert story.diagnoses() == {
        "r1": Cause.REGISTRATION_NEVER_CAME,
        "r2": Cause.UNEXPLAINED,
    }


def test_more_than_can_be_looked_at_at_once_are_all_looked_at_in_turn() -> None:
    story = Story()
    for number in range(FRESH + 120):
        story.at(0, request_admitted(request=f"q{number}-aaaaaaaa"))
    moments = story.moments + [Moment((40 + n) * SECOND) for n in range(4)]
    *_, third, fourth = (len(one.diagnoses) for one in watch(moments, clock=CLOCK))
    assert (third, fourth) == (FRESH + 120, FRESH + 120)


def test_a_diagnosis_goes_with_its_stall() -> None:
    story = Story().at(0, *PRODUCER_FIRST).at(6).is_blamed_on(Cause.REGISTRATION_NEVER_CAME)
    story.at(7, *CONSUMER_FIRST).is_blamed_on(None)


def test_what_a_request_waited_for_is_told_after_its_client_gave_it_up() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST).at(4).dies(P).at(6)
    known = story.is_blamed_on(Cause.PRODUCER_DIED).diagnosis
    story = Story().at(0, *CONSUMER_FIRST, registration_expired())
    story.at(9, request_finished(status="FINISHED_ABORTED", parked=True)).at(40)
    told = story.is_blamed_on(Cause.ABORTED_BLOCKS_HELD, "Before that: D’s watchdog").diagnosis
    assert known is not None
    assert known.before is None
    assert told is not None
    assert told.before is not None
    assert told.before.cause is Cause.WATCHDOG_ONLY_LOGS
    assert told.remedy == f"{told.before.remedy} Restart D0 to get its blocks back."
    assert {one.event for one in told.before.evidence} <= {one.event for one in told.evidence}
    missing = [one.event for one in told.evidence if one.missing]
    assert len(missing) == len(set(missing))


def test_where_nothing_was_known_before_nothing_is_added() -> None:
    story = Story().at(0, *CONSUMER_FIRST)
    story.at(3, request_finished(status="FINISHED_ABORTED", parked=True)).at(40)
    told = story.is_blamed_on(Cause.ABORTED_BLOCKS_HELD).diagnosis
    assert told is not None
    assert told.before is None
    assert "Before that" not in told.sentence
