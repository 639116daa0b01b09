"""What is true of an engine's process for as long as it runs, as far as it is nobody's secret."""

import os
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from kvtrace import __version__
from kvtrace.events import ProcessStarted
from kvtrace.model import SCHEDULER, Role
from kvtrace_connector.plain import identity, nanoseconds, number, text
from kvtrace_connector.probe import Speaker

ROLES = {"kv_producer": Role.PRODUCER, "kv_consumer": Role.CONSUMER}

WORKER_FACTS = {
    "compatibility_hash": "compat_hash",
    "backends": "nixl_backends",
    "attention_backend": "backend_name",
    "kv_cache_layout": "kv_cache_layout",
    "memory_type": "nixl_memory_type",
    "host_buffer": "use_host_buffer",
    "engine_ttl": "_engine_ttl",
    "block_bytes": "block_len_per_layer",
}
"""What else a worker knows of itself, by what we call it."""

MODEL_FACTS = {"dtype": "dtype", "max_model_len": "max_model_len"}


def speaker(host: Any, rank: int = SCHEDULER) -> Speaker:
    """Under which name a half of this engine speaks."""
    role = ROLES.get(host.vllm_config.kv_transfer_config.kv_role)
    return Speaker(engine=identity(host.engine_id), role=role, rank=rank)


def rank_of(worker: Any) -> int:
    """The worker's rank in its engine, over all pipeline stages."""
    parallel = worker.vllm_config.parallel_config
    if number(getattr(parallel, "pipeline_parallel_size", 1)) > 1:
        return number(getattr(parallel, "rank", worker.tp_rank))
    return number(worker.tp_rank)


def of_scheduler(scheduler: Any, environment: Mapping[str, str] = os.environ) -> ProcessStarted:
    """The facts of an engine's scheduler."""
    return _facts(
        scheduler,
        SCHEDULER,
        environment,
        {
            "lease": _seconds(scheduler, "_kv_lease_duration"),
            "registration_timeout": _seconds(scheduler, "_push_registration_timeout"),
            "host": text(scheduler.side_channel_host),
            "port": number(scheduler.side_channel_port),
        },
    )


def of_worker(worker: Any, environment: Mapping[str, str] = os.environ) -> ProcessStarted:
    """The facts of one rank, once its KV cache is registered."""
    extra = worker.vllm_config.kv_transfer_config
    return _facts(
        worker,
        rank_of(worker),
        environment,
        {
            "blocks": number(getattr(worker, "num_blocks", 0)),
            "regions": number(getattr(worker, "num_regions", 0)),
            "lease": nanoseconds(extra.get_from_extra_config("kv_lease_duration", 30)),
            "agent": identity(getattr(worker.nixl_wrapper, "name", "")),
        },
    )


def _facts(
    host: Any, rank: int, environment: Mapping[str, str], more: Mapping[str, Any]
) -> ProcessStarted:
    config = host.vllm_config
    parallel = config.parallel_config
    return ProcessStarted(
        engine=identity(host.engine_id),
        rank=rank,
        kv_role=text(config.kv_transfer_config.kv_role),
        tp_size=number(parallel.tensor_parallel_size),
        pp_size=number(parallel.pipeline_parallel_size),
        dp_rank=number(getattr(parallel, "data_parallel_index", 0)),
        block_size=number(host.block_size),
        model=text(config.model_config.model),
        vllm_version=_version("vllm"),
        nixl_version=_version("nixl", "nixl-cu12", "nixl-cu13", "nixl-rocm"),
        kvtrace_version=__version__,
        facts=_more_facts(host, environment),
        **more,
    )


def _more_facts(host: Any, environment: Mapping[str, str]) -> dict[str, str]:
    config = host.vllm_config
    facts = {
        "kv_load_failure_policy": getattr(
            config.kv_transfer_config, "kv_load_failure_policy", None
        ),
        "cache_dtype": getattr(getattr(config, "cache_config", None), "cache_dtype", None),
        "speculation": _speculation(getattr(config, "speculative_config", None)),
        "cpus": ",".join(map(str, sorted(os.sched_getaffinity(0)))),
        **{name: getattr(host, attribute, None) for name, attribute in WORKER_FACTS.items()},
        **{name: getattr(config.model_config, at, None) for name, at in MODEL_FACTS.items()},
        **{name: value for name, value in environment.items() if name.startswith("UCX_")},
    }
    return {name: text(value) for name, value in facts.items() if value is not None}


def _speculation(settings: Any) -> str:
    """How it drafts from hidden states, which decides what its KV cache holds; else `none`."""
    reads_hidden_states = getattr(settings, "use_eagle", None)
    if reads_hidden_states is None or not reads_hidden_states():
        return "none"
    named = text(getattr(settings, "method", None))
    return f"{named}, {number(getattr(settings, 'num_speculative_tokens', 0))} tokens"


def _seconds(host: Any, attribute: str) -> int:
    return nanoseconds(getattr(host, attribute, 0))


def _version(*distributions: str) -> str:
    for distribution in distributions:
        try:
            return version(distribution)
        except PackageNotFoundError:
            continue
    return ""
