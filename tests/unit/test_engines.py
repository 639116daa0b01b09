"""What is known of each engine."""

from kvtrace.engines import Engine, Engines
from kvtrace.events import AnyEvent
from kvtrace.model import SCHEDULER, Role
from kvtrace.moments import Ended, Record
from tests.unit.samples import (
    blocks_queued,
    blocks_ready,
    heartbeat_sent,
    prefill_admitted,
    process_started,
    process_stopped,
    registration_staged,
    request_admitted,
    request_finished,
    request_resumed,
    step_sampled,
    tracing_stopped,
)
from tests.unit.story import D, P, Story
from tests.unit.story import Engine as Speaker


def heard(*events: AnyEvent, by: Speaker = P, rank: int = 0) -> Engines:
    engines = Engines()
    tell(engines, *events, by=by, rank=rank)
    return engines


def tell(engines: Engines, *events: AnyEvent, by: Speaker = P, rank: int = 0) -> None:
    for moment in Story().at(1, *events, by=by, rank=rank).moments:
        assert isinstance(moment.news, Record)
        engines.hear(moment.news, 0)


def only(engines: Engines) -> Engine:
    (engine,) = engines.all()
    return engine


def test_an_engine_is_its_scheduler_and_its_ranks() -> None:
    engine = only(heard(blocks_ready(), blocks_queued()))
    assert [origin.rank for origin in engine.origins] == [SCHEDULER, 0]
    assert engine.workers == 1
    assert engine.roles == {Role.PRODUCER}


def test_a_role_is_known_from_the_settings_too() -> None:
    engines = heard(process_started(kv_role="kv_consumer"), by=D)
    assert only(engines).roles == {Role.CONSUMER}
    both = Engines()
    for role in (Role.PRODUCER, Role.CONSUMER):
        tell(both, heartbeat_sent(), by=Speaker(name="X", role=role))
    assert "X" in both
    assert "Y" not in both


def test_settings_are_those_of_the_first_rank() -> None:
    engines = heard(process_started(blocks=9))
    tell(engines, process_started(blocks=7, port=5600), rank=SCHEDULER)
    settings = only(engines).settings
    assert settings is not None
    assert settings.blocks == 9
    assert settings.port == 5600
    assert engines.ranks("P0") == 1
    assert engines.ranks("P9") == 0


def test_an_engine_is_alive_until_something_else_is_known() -> None:
    engines = heard(blocks_ready())
    assert only(engines).state == "alive"
    engines.end(Ended(process="P0/-1", goodbye=False))
    assert only(engines).state == "died"


def test_an_engine_that_said_goodbye_has_ended() -> None:
    engines = heard(process_stopped(), rank=SCHEDULER)
    assert only(engines).state == "ended"
    engines.end(Ended(process="P0/-1", goodbye=True))
    assert only(engines).state == "ended"


def test_a_rank_that_stopped_tracing_is_never_taken_for_idle() -> None:
    engines = heard(blocks_ready(), tracing_stopped())
    assert only(engines).state == "untraced"


def test_an_end_that_is_heard_of_first_counts_as_well() -> None:
    engines = Engines()
    engines.end(Ended(process="P0/-1", goodbye=False))
    tell(engines, blocks_ready())
    assert only(engines).state == "died"


def test_a_new_process_takes_the_place_of_the_dead_one() -> None:
    engines = heard(blocks_ready())
    engines.end(Ended(process="P0/-1", goodbye=False))
    again = Record(
        process="new",
        seq=1,
        at=9,
        wall=9,
        clock="host-1",
        engine="P0",
        role=Role.PRODUCER,
        event=blocks_ready(),
    )
    engines.hear(again, 9)
    assert only(engines).state == "alive"


def test_the_longest_step_is_the_one_told_last() -> None:
    engines = heard(step_sampled(longest=9), step_sampled(longest=5))
    assert only(engines).longest_step == 5


def test_an_engine_not_heard_of_is_none() -> None:
    assert Engines().get("P0") is None
    assert Engines().clock_of("P0") == ""
    assert heard(blocks_ready()).clock_of("P0") == "host-1"


def test_an_engine_of_more_ranks_than_there_can_be_told_nothing() -> None:
    assert heard(process_started(tp_size=2, pp_size=3)).ranks("P0") == 6
    assert heard(process_started(tp_size=1 << 62)).ranks("P0") == 0


def test_an_engine_runs_what_it_prefills_or_decodes_until_that_is_over() -> None:
    assert only(heard(prefill_admitted())).running == 1
    assert only(heard(prefill_admitted(), blocks_ready())).running == 0
    engines = heard(request_admitted(), registration_staged(), by=D)
    assert only(engines).running == 0
    tell(engines, request_resumed(), by=D)
    assert only(engines).running == 1
    tell(engines, request_finished(), by=D)
    assert only(engines).running == 0


def test_what_an_engine_runs_is_not_known_once_its_events_were_lost() -> None:
    engines = heard(prefill_admitted())
    engines.lose("another")
    assert only(engines).running == 1
    engines.lose(only(engines).origins[0].process)
    assert only(engines).running == 0
    engines = heard(prefill_admitted())
    engines.end(Ended(process=only(engines).origins[0].process, goodbye=False))
    assert only(engines).running == 0
