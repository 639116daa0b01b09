"""Makes the traced classes: vLLM's connector and its two halves, each with our hooks around it."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from kvtrace_connector import facade, facts, handshakes, listener, scheduler, worker, writer
from kvtrace_connector.fuse import After, Bracket, Hook, Outcome
from kvtrace_connector.half import WorkerHalf
from kvtrace_connector.hooks import subclass
from kvtrace_connector.nixl_proxy import NixlProxy
from kvtrace_connector.probe import Probe, Recorder
from kvtrace_connector.scheduler import SchedulerHalf

Has = Callable[[str], bool]
"""Whether a seam such as `worker._xfer_blocks` can be used in this vLLM."""


def traced_scheduler(stock: type, recorder: Recorder, has: Has) -> type:
    """vLLM's scheduler half, traced."""

    def attach(host: Any) -> None:
        half = SchedulerHalf(Probe(recorder, facts.speaker(host)))
        half.probe.describe(facts.of_scheduler(host))
        host._kvtrace = half

    hooks = _known("scheduler", {**scheduler.HOOKS, **listener.HOOKS}, has)
    return subclass(stock, hooks, lambda host: recorder.fuse.run(attach, host))


def traced_worker(stock: type, recorder: Recorder, has: Has) -> type:
    """vLLM's worker half, traced, with our proxy in the place of its NIXL agent."""

    def attach(host: Any) -> None:
        half = WorkerHalf(Probe(recorder, facts.speaker(host, facts.rank_of(host))))
        host._kvtrace = half
        host.nixl_wrapper = NixlProxy(host.nixl_wrapper, half)

    every = {**worker.HOOKS, **writer.HOOKS, **handshakes.HOOKS, "register_kv_caches": described}
    hooks = _known("worker", every, has)
    if not hasattr(stock, "get_transfer_results"):
        hooks["get_finished"] = worker.results_told
    return subclass(stock, hooks, lambda host: recorder.fuse.run(attach, host))


def traced_connector(
    stock: type,
    recorder: Recorder,
    has: Has,
    building: Callable[[], AbstractContextManager[None]],
) -> type:
    """vLLM's connector, traced; `building` surrounds the building of its halves."""

    def attach(host: Any) -> None:
        half = host.connector_worker or host.connector_scheduler
        host._kvtrace = half._kvtrace

    hooks = _known("connector", facade.HOOKS, has)
    return subclass(stock, hooks, lambda host: recorder.fuse.run(attach, host), building)


def described(half: WorkerHalf, host: Any, *_: Any, **__: Any) -> Bracket:
    """Hook of register_kv_caches, after which all facts of a worker are known."""
    yield (outcome := Outcome())
    if outcome.error is None:
        half.probe.describe(facts.of_worker(host))


def _known(owner: str, hooks: Mapping[str, Hook | After], has: Has) -> dict[str, Hook | After]:
    return {name: hook for name, hook in hooks.items() if has(f"{owner}.{name}")}
