"""Hooks around the connector itself: the steps of its engine, and its end."""

from typing import Any

from kvtrace_connector.fuse import Bracket, Hook
from kvtrace_connector.half import WorkerHalf
from kvtrace_connector.scheduler import SchedulerHalf


def step_began(half: WorkerHalf, *_: Any) -> None:
    """Hook of bind_connector_metadata."""
    half.steps.began = half.now()


def loads_started(
    half: WorkerHalf,
    _: Any,
    forward_context: Any = None,
    *__: Any,
    attn_metadata: Any = None,
    **___: Any,
) -> None:
    """Hook of start_load_kv, which knows whether this step runs the model."""
    # vLLM's newer runner passes as a keyword what the older one keeps in the context.
    if (attn_metadata or getattr(forward_context, "attn_metadata", None)) is not None:
        half.steps.forwards += 1


def step_ended(half: WorkerHalf, connector: Any, *_: Any) -> None:
    """Hook of clear_connector_metadata."""
    now = half.now()
    steps = half.steps
    if steps.began:
        took = now - steps.began
        steps.began = 0
        steps.steps += 1
        steps.total += took
        if took > steps.longest:
            steps.longest = took
    if now >= steps.due:
        half.record(steps.sample(now))
        worker = connector.connector_worker
        half.tables.sample(half.record, worker, now, half.oldest(worker, now))


def stopped(half: SchedulerHalf | WorkerHalf, *_: Any, **__: Any) -> Bracket:
    """Hook of shutdown."""
    yield None
    half.probe.leave("shutdown")


HOOKS: dict[str, Hook] = {
    "bind_connector_metadata": step_began,
    "start_load_kv": loads_started,
    "clear_connector_metadata": step_ended,
    "shutdown": stopped,
}
"""What each method of the host's connector tells us."""
