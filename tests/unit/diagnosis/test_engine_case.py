"""One engine as a rule sees it."""

from kvtrace.causes import Cause
from kvtrace.diagnosed import Evidence
from kvtrace.diagnosis.engine_case import EngineCase
from kvtrace.model import Link
from tests.unit.diagnosis.test_case import scene_of
from tests.unit.samples import PRODUCER_FIRST
from tests.unit.story import Story


def test_a_diagnosis_of_an_engine_names_it_and_begins_with_its_evidence() -> None:
    scene = scene_of(Story().at(0, *PRODUCER_FIRST))
    engine = scene.engine("P0")
    assert engine is not None
    case = EngineCase(engine, scene)
    evidence = [Evidence(text="a", at=7), Evidence(text="b", missing=True)]
    found = case.blame(Cause.PARKED_ENGINES_SPIN, f"{case.called} spins.", "Wait.", evidence)
    assert (found.since, found.link, found.engines) == (7, Link("P0", ""), ("P0",))
    assert found.transfer == ""
