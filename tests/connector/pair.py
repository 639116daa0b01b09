"""A traced producer and consumer of the stand-in, and a tape of what they say."""

from collections.abc import Callable
from types import SimpleNamespace as Thing
from typing import Any

from kvtrace_connector.probe import Recorder
from kvtrace_connector.tracing import traced_scheduler, traced_worker

from kvtrace.events import Event, ProcessStarted, kind
from kvtrace.model import Role
from tests.connector import host, host_worker


class Tape:
    """A black box that is a list."""

    def __init__(self) -> None:
        self.origins: list[tuple[str, Role | None, int]] = []
        self.said: list[tuple[int, Event]] = []
        self.closed = ""

    def origin(self, engine: str, role: Role | None, rank: int) -> int:
        if (engine, role, rank) not in self.origins:
            self.origins.append((engine, role, rank))
        return self.origins.index((engine, role, rank))

    def describe(self, origin: int, started: ProcessStarted) -> None:
        self.record(started, origin)

    def record(self, event: Event, origin: int) -> None:
        self.said.append((origin, event))

    def close(self, reason: str) -> None:
        self.closed = reason

    def events(self, *kinds: str) -> list[Event]:
        """What was said, of these kinds."""
        return [event for _, event in self.said if kind(event) in kinds]

    def only(self, name: str) -> Any:
        """The one event of that kind."""
        (event,) = self.events(name)
        return event

    def kinds(self, engine: str) -> list[str]:
        """What an engine said of its transfers, in order."""
        return [
            kind(event)
            for origin, event in self.said
            if self.origins[origin][0] == engine
            and kind(event) not in ("process.started", "tables.sampled", "step.sampled")
        ]


def everything(seam: str) -> bool:
    """A vLLM that has every seam."""
    return True


class Engine:
    """A traced engine of one rank."""

    def __init__(self, name: str, role: str, recorder: Recorder, wire: dict[str, Any]) -> None:
        settings = host.config(name, role)
        agent = host_worker.Agent(f"agent-{name}", wire)
        self.agent = agent
        self.scheduler = traced_scheduler(host.Scheduler, recorder, everything)(settings, name)
        worker = traced_worker(host_worker.Worker, recorder, everything)
        self.worker = worker(settings, name, agent)
        self.worker.register_kv_caches({})

    def step(self) -> None:
        """One step of the engine, with a turn of the writer before and after its results."""
        self.worker.start_load_kv(self.scheduler.build_connector_meta(None))
        self.worker.turn()
        results = self.worker.get_transfer_results()
        self.scheduler.update_connector_output(results)


class Pair:
    """A producer P and a consumer D that share one process, and so one tape."""

    def __init__(self, open_box: Callable[[], Any] | None = None) -> None:
        self.tape = Tape()
        self.recorder = Recorder(open_box or (lambda: self.tape))
        self.wire: dict[str, Any] = {}
        self.producer = Engine("P", "kv_producer", self.recorder, self.wire)
        self.consumer = Engine("D", "kv_consumer", self.recorder, self.wire)

    def traced_scheduler(self, stock: type) -> Any:
        """A traced scheduler of that stock on the same tape."""
        made = traced_scheduler(stock, self.recorder, everything)
        return made(host.config("P", "kv_producer"), "P")

    def admit(self, name: str = "cmpl-1-bbbbbbbb", **more: Any) -> Any:
        """The consumer takes a request in and parks it."""
        request = host.request(name, "P", **more)
        scheduler = self.consumer.scheduler
        scheduler.on_new_request(request)
        tokens, _ = scheduler.get_num_new_matched_tokens(request, 0)
        scheduler.update_state_after_alloc(request, host.BLOCKS, tokens)
        return request

    def prefill(self, name: str = "cmpl-1-aaaaaaaa", **more: Any) -> Any:
        """The producer prefills a request."""
        request = host.request(name, **more)
        scheduler = self.producer.scheduler
        scheduler.on_new_request(request)
        scheduler.update_state_after_alloc(request, host.BLOCKS, 0)
        scheduler.request_finished(request, host.BLOCKS)
        return request

    def resume(self, request: Any) -> None:
        """The consumer goes on with a request whose KV has come, and ends it."""
        self.consumer.scheduler.update_state_after_alloc(request, host.BLOCKS, 0)
        self.consumer.scheduler.request_finished(request, host.BLOCKS)

    def push(self, theirs: str = "cmpl-1-bbbbbbbb", ours: str = "cmpl-1-aaaaaaaa") -> None:
        """One whole transfer, the consumer first."""
        waiting = self.admit(theirs)
        self.consumer.step()
        self.producer.step()
        self.prefill(ours)
        self.producer.step()
        self.consumer.step()
        self.resume(waiting)


def output(**told: Any) -> Any:
    """What a scheduler hears of its ranks."""
    return Thing(**{"finished_sending": None, "finished_recving": None, **told})


def scripted(traced: Any, name: str, method: Callable[..., Any]) -> Any:
    """The traced object's method of that name, whose host's own is scripted."""
    ours = type(traced)
    host_class = type("Host", (ours.__mro__[1],), {name: method})
    traced.__class__ = traced_worker(host_class, Recorder(), everything)
    return getattr(traced, name)
