"""The rules as a list, and what holds for all of them."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from kvtrace.diagnosed import Diagnosis
from kvtrace.diagnosis.rules import ENGINE_RULES, FINISHED_RULES, RULES
from kvtrace.events import AnyEvent
from kvtrace.snapshot import Snapshot
from tests.unit import samples
from tests.unit.story import ROUTER, D, Engine, P, Story

HEDGES = re.compile(r"\b(may|might|issues?|failed to)\b")
MOMENTS = st.tuples(
    st.integers(0, 90),
    st.sampled_from((*samples.SAMPLES, *samples.WHOLE)),
    st.sampled_from((P, D, ROUTER)),
    st.integers(0, 1),
)


def test_no_rule_is_tried_twice() -> None:
    for rules in (RULES, FINISHED_RULES):
        assert len(set(rules)) == len(rules)
    assert len(set(ENGINE_RULES)) == len(ENGINE_RULES)


def found(snapshot: Snapshot) -> list[Diagnosis]:
    ended = (one.diagnosis for one in snapshot.done if one.diagnosis is not None)
    return [*snapshot.diagnoses.values(), *snapshot.engine_diagnoses, *ended]


@settings(max_examples=25)
@given(st.lists(MOMENTS, max_size=40), st.sets(st.sampled_from((P, D)), max_size=2))
def test_whatever_was_told_each_diagnosis_says_it_plainly(
    told: list[tuple[int, AnyEvent, Engine, int]], gone: set[Engine]
) -> None:
    story = Story().at(0, *samples.CONSUMER_FIRST, *samples.PRODUCER_FIRST)
    for at, event, by, rank in sorted(told, key=lambda one: one[0]):
        story.at(at, event, by=by, rank=rank)
    for engine in gone:
        story.dies(engine)
    for one in found(story.at(120).snapshot):
        assert one.sentence.endswith(".")
        assert one.remedy.endswith(".")
        assert one.evidence
        assert not HEDGES.search(one.sentence)
        assert all(evidence.text.endswith(".") for evidence in one.evidence)
