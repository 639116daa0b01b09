"""How long is too long."""

from kvtrace.diagnosis.patience import PATIENCE, patience
from kvtrace.engines import Engines
from kvtrace.model import Phase
from kvtrace.moments import Record
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    process_started,
    step_sampled,
)
from tests.unit.story import SECOND, Engine, P, Story


def engine(*events: object, by: Engine = P) -> Engines:
    engines = Engines()
    for moment in Story().at(0, *events, by=by).moments:  # type: ignore[arg-type]
        assert isinstance(moment.news, Record)
        engines.hear(moment.news, 0)
    return engines


def test_without_settings_the_table_stands() -> None:
    assert {phase: patience(phase, None, None) for phase in Phase} == PATIENCE


def test_nothing_waits_longer_than_the_lease_while_it_runs() -> None:
    short = engine(process_started(lease=2 * SECOND)).get("P0")
    assert patience(Phase.WRITE, short, None) == 2 * SECOND
    assert patience(Phase.REGISTRATION, short, None) == 2 * SECOND
    assert patience(Phase.READINESS, short, None) == 30 * SECOND


def test_prefills_are_waited_for_no_longer_than_the_consumer_would() -> None:
    hasty = engine(process_started(registration_timeout=10 * SECOND)).get("P0")
    assert patience(Phase.READINESS, None, hasty) == 10 * SECOND


def test_only_the_consumers_scheduler_knows_how_long_it_would_wait() -> None:
    engines = engine(process_started())
    for moment in Story().at(0, process_started(registration_timeout=SECOND), rank=-1).moments:
        assert isinstance(moment.news, Record)
        engines.hear(moment.news, 0)
    assert patience(Phase.READINESS, None, engines.get("D0")) == SECOND


def test_slow_steps_are_waited_for() -> None:
    slow = engine(process_started(), step_sampled(longest=4 * SECOND)).get("P0")
    assert patience(Phase.COMPLETION, None, slow) == 12 * SECOND


def test_a_registration_is_stalled_after_five_seconds_and_not_before() -> None:
    story = Story().at(0, *CONSUMER_FIRST, *PRODUCER_FIRST)
    story.at(4.9).is_not_stalled().at(5).is_stalled()


def test_a_prefill_is_stalled_after_thirty_seconds_and_not_before() -> None:
    Story().at(0, *CONSUMER_FIRST).at(29).is_not_stalled().at(30).is_stalled()
