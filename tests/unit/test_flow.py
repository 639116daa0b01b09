"""How fast, and how late."""

from kvtrace.clocks import Clocks
from kvtrace.flow import Flow
from kvtrace.model import Phase
from kvtrace.moments import Moment
from kvtrace.phases import Stretch
from tests.unit.samples import heartbeat_sent
from tests.unit.story import CLOCK, SECOND, Engine, P, Story

CLOCKS = Clocks(CLOCK)


def beats(*seconds: float, by: Engine = P) -> list[Moment]:
    story = Story()
    for second in seconds:
        story.at(second, heartbeat_sent(), by=by)
    return story.moments


def test_events_are_counted_when_they_happened_not_when_we_read_them() -> None:
    flow = Flow()
    for moment in beats(0, 1, 95):
        flow.hear(Moment(100 * SECOND, moment.news), CLOCKS)
    assert flow.rate(100 * SECOND) == 0.1
    flow.forget(200 * SECOND)
    assert flow.rate(100 * SECOND) == 0


def test_events_by_a_clock_unknown_are_counted_when_we_read_them() -> None:
    flow = Flow()
    (moment,) = beats(7, by=Engine(name="X", role=P.role, clock="else", ahead=99))
    flow.hear(moment, CLOCKS)
    assert flow.rate(7 * SECOND) == 0.1


def test_history_is_not_lag() -> None:
    flow = Flow()
    (old, new) = beats(1, 50)
    flow.hear(Moment(50 * SECOND, old.news), CLOCKS)
    assert flow.take_lag() == 0
    flow.hear(Moment(51 * SECOND, new.news), CLOCKS)
    assert flow.take_lag() == 1 * SECOND
    assert flow.take_lag() == 0


def test_all_waits_in_a_phase_are_one_duration() -> None:
    flow = Flow()
    flow.passed(
        (
            Stretch(Phase.REGISTRATION, 0, 2),
            Stretch(Phase.READINESS, 2, 5),
            Stretch(Phase.REGISTRATION, 5, 9),
        ),
        finished=True,
    )
    lines = {line.phase: line for line in flow.phase_lines((), 9)}
    assert (lines[Phase.REGISTRATION].count, lines[Phase.REGISTRATION].p50) == (1, 6)
    assert (lines[Phase.READINESS].p99, lines[Phase.WRITE].p99) == (3, None)
    assert lines[Phase.REGISTRATION].rate == 0.1


def test_what_was_given_up_did_not_pass_its_last_phase() -> None:
    flow = Flow()
    given_up = (Stretch(Phase.REGISTRATION, 0, 2), Stretch(Phase.READINESS, 2, 5))
    flow.passed(given_up, finished=False)
    assert [line.count for line in flow.phase_lines((), 9)] == [1, 0, 0, 0]
