"""The JSON form of causes and diagnoses."""

from typing import Any

from kvtrace import findings
from tests.unit.samples import PRODUCER_FIRST
from tests.unit.story import SECOND, Story


def test_a_cause_tells_its_worst_with_evidence() -> None:
    snapshot = Story().at(0, *PRODUCER_FIRST).at(9).snapshot
    (cause,) = findings.causes(snapshot)
    assert (cause["cause"], cause["stalled"]) == ("registration-never-came", 1)
    worst: Any = cause["worst"]
    seen, missing = worst["evidence"]
    assert (seen["event"], seen["at"], seen["wall"]) == ("blocks.ready", 0, 0)
    assert seen["place"] == {"engine": "P0", "role": "P", "rank": -1}
    assert (missing["missing"], missing["at"], missing["wall"]) == (True, None, None)
    assert cause["oldest"] == 9 * SECOND


def test_where_nothing_is_wrong_there_is_nothing() -> None:
    snapshot = Story().at(0, *PRODUCER_FIRST).snapshot
    assert findings.causes(snapshot) == []
    assert findings.diagnosis(None, snapshot) is None
