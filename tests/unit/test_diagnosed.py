"""A diagnosis travels as JSON and comes back the same."""

import msgspec

from kvtrace.causes import Cause, Kind
from kvtrace.diagnosed import Diagnosis
from tests.unit.samples import PRODUCER_FIRST
from tests.unit.story import Story


def test_a_diagnosis_survives_json() -> None:
    found = Story().at(0, *PRODUCER_FIRST).at(6).diagnosis
    assert found is not None
    assert msgspec.json.decode(msgspec.json.encode(found), type=Diagnosis) == found
    assert (found.label, found.kind) == ("registration never came", Kind.STALL)
    assert found.cause is Cause.REGISTRATION_NEVER_CAME
