"""What it takes to start one engine: its command and its environment."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from lab import model

Role = Literal["kv_producer", "kv_consumer", "kv_both"]

RUN_VARIABLE = "KVTRACE_LAB_RUN"
"""Marks every process of a run, so that leftovers can be told from everybody else's."""

HOST = "127.0.0.1"

CALM = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "VLLM_LOGGING_COLOR": "0",
    "NO_COLOR": "1",
    "VLLM_SERVER_DEV_MODE": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "UCX_TLS": "tcp,sm,self",
    "OMP_NUM_THREADS": "1",
    # Without this a process that renames itself overwrites its environment, RUN_VARIABLE included.
    "SPT_NOENV": "1",
    # A kernel that watches which memory is used (DAMON, as virtual machines do) holds a lock that a
    # heap needs to grow or shrink: steps of 4 to 18 s were seen in brk(2). So it does so seldom.
    "MALLOC_TOP_PAD_": str(256 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(4 << 30),
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
}
"""No network, no statistics, no colours, a small KV cache, one thread a rank, and a still heap."""


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """One engine to be started."""

    engine_id: str
    role: Role
    port: int
    """Of the API."""
    side_port: int
    """Of NIXL's handshakes."""
    tp: int = 1
    cores: tuple[int, ...] = (0,)
    """One for each rank: ranks on unbound cores gather on the same one, and starve one another."""
    connector: str = "NixlPushConnector"
    module_path: str | None = None
    """Where vLLM finds the connector's class, when it is not one of its own."""
    boxes: Path | None = None
    """Where the black boxes go; None starts the engine plain."""
    extra: dict[str, object] = msgspec.field(default_factory=dict)
    """`kv_connector_extra_config`: `kv_lease_duration`, `push_registration_timeout`, …"""
    env: dict[str, str] = msgspec.field(default_factory=dict)
    """Has the last word."""
    flags: tuple[str, ...] = ()
    """More words for `vllm serve`."""


def command(launch: Launch, vllm: Path, model_directory: Path) -> list[str]:
    """Return the words that start the engine."""
    return [
        *(str(vllm), "serve", str(model_directory)),
        *("--served-model-name", model.NAME),
        *("--load-format", "dummy", "--skip-tokenizer-init", "--enforce-eager"),
        *("--dtype", "bfloat16", "--max-model-len", str(model.MAX_LENGTH)),
        *("--host", HOST, "--port", str(launch.port)),
        *("--tensor-parallel-size", str(launch.tp)),
        *("--kv-transfer-config", json.dumps(_transfer_config(launch))),
        *launch.flags,
    ]


def environment(
    launch: Launch, inherited: Mapping[str, str], run: Path, cache: Path
) -> dict[str, str]:
    """Return the engine's environment: ours over the inherited one, without a foreign KVTRACE."""
    kept = {key: value for key, value in inherited.items() if not key.startswith("KVTRACE")}
    return {
        **kept,
        **CALM,
        "VLLM_NIXL_SIDE_CHANNEL_HOST": HOST,
        "VLLM_NIXL_SIDE_CHANNEL_PORT": str(launch.side_port),
        "VLLM_CPU_OMP_THREADS_BIND": "|".join(map(str, launch.cores)),
        "VLLM_CACHE_ROOT": str(cache / "vllm"),
        "VLLM_CONFIG_ROOT": str(cache / "vllm-config"),
        "TMPDIR": str(run / "tmp"),
        RUN_VARIABLE: str(run),
        **_tracing(launch.boxes),
        **launch.env,
    }


def _transfer_config(launch: Launch) -> dict[str, object]:
    config: dict[str, object] = {
        "kv_connector": launch.connector,
        "kv_role": launch.role,
        "kv_buffer_device": "cpu",
        "engine_id": launch.engine_id,
    }
    if launch.module_path is not None:
        config["kv_connector_module_path"] = launch.module_path
    if launch.extra:
        config["kv_connector_extra_config"] = launch.extra
    return config


def _tracing(boxes: Path | None) -> dict[str, str]:
    return {} if boxes is None else {"KVTRACE": "1", "KVTRACE_DIR": str(boxes)}
