"""Every stalled transfer has a diagnosis, and no other."""

from kvtrace.causes import Cause
from kvtrace.diagnosis.rounds import FRESH
from kvtrace.moments import Moment
from kvtrace.monitor import watch
from tests.unit.samples import CONSUMER_FIRST, PRODUCER_FIRST, WHOLE, request_admitted
from tests.unit.story import CLOCK, SECOND, Story


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
