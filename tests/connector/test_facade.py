from contextlib import nullcontext
from types import SimpleNamespace as Thing
from typing import Any

from kvtrace_connector.samples import WINDOW
from kvtrace_connector.tracing import traced_connector

from tests.connector.pair import Pair, everything


class Connector:
    def __init__(self, worker: Any = None, scheduler: Any = None) -> None:
        self.connector_worker, self.connector_scheduler = worker, scheduler

    def bind_connector_metadata(self, metadata: Any) -> None: ...
    def start_load_kv(self, forward_context: Any, **kwargs: Any) -> None: ...
    def clear_connector_metadata(self) -> None: ...
    def shutdown(self) -> None: ...


def connector(pair: Pair, **halves: Any) -> Any:
    return traced_connector(Connector, pair.recorder, everything, nullcontext)(**halves)


def test_steps_are_counted_with_those_that_ran_the_model() -> None:
    pair = Pair()
    made = connector(pair, worker=pair.producer.worker)
    half = pair.producer.worker._kvtrace
    began = half.now()
    for at, attention in enumerate((None, {}, None)):
        half.now = lambda at=at: began + at * WINDOW // 2
        made.bind_connector_metadata(None)
        made.start_load_kv(Thing(attn_metadata=attention))
        made.clear_connector_metadata()
    sample = pair.tape.only("step.sampled")
    assert (sample.steps, sample.forwards) == (3, 1)
    assert (sample.longest, sample.total) == (0, 0)
    assert pair.tape.events("tables.sampled")


def test_a_step_lasts_from_its_metadata_to_their_end() -> None:
    pair = Pair()
    made = connector(pair, worker=pair.producer.worker)
    half = pair.producer.worker._kvtrace
    began = half.now()
    for took in (3, 5, 4):
        half.now = lambda: began
        made.bind_connector_metadata(None)
        half.now = lambda took=took: began + took
        made.clear_connector_metadata()
    half.now = lambda: began + 2 * WINDOW
    made.clear_connector_metadata()
    sample = pair.tape.only("step.sampled")
    assert (sample.steps, sample.longest, sample.total) == (3, 5, 12)


def test_the_last_shutdown_closes_the_box() -> None:
    pair = Pair()
    for engine in (pair.producer, pair.consumer):
        connector(pair, worker=engine.worker).shutdown()
    assert pair.tape.closed == ""
    for engine in (pair.producer, pair.consumer):
        connector(pair, scheduler=engine.scheduler).shutdown()
    assert pair.tape.closed == "shutdown"
