"""What a rule can ask of a transfer."""

from kvtrace.causes import Cause
from kvtrace.diagnosis.case import Case, Trouble
from kvtrace.diagnosis.scene import Scene
from kvtrace.events import BlocksReady, PrefillAdmitted, WriteFailed
from kvtrace.fleet import Fleet
from kvtrace.model import Phase, Place, Role
from kvtrace.moments import Lost
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
)
from tests.unit.story import CLOCK, SECOND, P, Story


def scene_of(story: Story, seconds: float = 10) -> Scene:
    fleet = Fleet(CLOCK)
    for moment in story.moments:
        fleet.take(moment)
    return Scene(fleet, lambda engine: engine, round(seconds * SECOND))


def case_of(story: Story, seconds: float = 10) -> Case:
    scene = scene_of(story, seconds)
    return Case(scene.in_flight()[0], Trouble(Phase.REGISTRATION, 0), scene)


def test_events_come_in_their_order() -> None:
    case = case_of(Story().at(2, *PRODUCER_FIRST))
    first, last = case.first(BlocksReady, PrefillAdmitted), case.last(BlocksReady, PrefillAdmitted)
    assert first is not None
    assert type(first.event) is PrefillAdmitted
    assert last is not None
    assert type(last.event) is BlocksReady
    assert case.has(BlocksReady)
    assert not case.has(WriteFailed)
    assert case.ago(last) == "8.00 s"
    assert case.first(WriteFailed) is None


def test_places_are_told_in_words() -> None:
    case = case_of(Story().at(0, *CONSUMER_FIRST))
    assert case.place(Place("P0", Role.PRODUCER)) == "P0 scheduler"
    assert case.place(Place("P0", Role.PRODUCER, 3)) == "P0 rank 3"
    assert case.place(None) == "nobody we know"
    assert (case.called(Role.PRODUCER), case.called(Role.CONSUMER)) == ("P0", "D0")
    assert case.waited == 10 * SECOND


def test_what_is_missing_is_doubted_where_it_may_be_unseen() -> None:
    story = Story().at(0, *PRODUCER_FIRST, *CONSUMER_FIRST)
    missing = [case_of(story).never("match.made", "No match.")]
    cause = Cause.LEGS_DIFFER_IN_ID
    assert case_of(story).blame(cause, "s", "r", missing).doubt == ""
    story.hears(Lost(process=f"{P.name}/0", overwritten=1))
    assert case_of(story).blame(cause, "s", "r", missing).doubt == "events of P0 were lost"
    assert case_of(story).blame(cause, "s", "r", []).doubt == ""
