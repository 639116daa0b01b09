"""An event as a rule looks at it."""

import msgspec

from kvtrace.clocks import Clocks
from kvtrace.diagnosis.found import Found
from kvtrace.events import PrefillAdmitted
from kvtrace.model import Mark
from tests.unit.diagnosis.test_case import case_of
from tests.unit.samples import prefill_admitted
from tests.unit.story import CLOCK, Story


def test_an_event_is_on_our_clock() -> None:
    case = case_of(Story().at(0, prefill_admitted()))
    told = case.all(PrefillAdmitted)[0].told
    assert Found.of(told, Clocks(CLOCK)).at == told.mark.at
    other = Mark(at=5, wall=0, clock="elsewhere", seen=7)

    assert Found.of(msgspec.structs.replace(told, mark=other), Clocks(CLOCK)).at == 7
