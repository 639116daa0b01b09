"""A stand-in for vLLM's scheduler half, and what it is given."""

import time
from types import SimpleNamespace as Thing
from typing import Any

BLOCKS = ([1, 2, 3],)


def config(engine: str, role: str, tp_size: int = 1) -> Any:
    """As much of a configuration as is looked at."""
    return Thing(
        kv_transfer_config=Thing(
            engine_id=engine,
            kv_role=role,
            kv_load_failure_policy="fail",
            get_from_extra_config=lambda name, default: default,
        ),
        parallel_config=Thing(tensor_parallel_size=tp_size, pipeline_parallel_size=1),
        model_config=Thing(model="tiny", dtype="bfloat16", max_model_len=8192),
    )


def request(name: str, producer: str = "", **more: Any) -> Any:
    """A request whose KV comes from that producer, or goes to a consumer where there is none."""
    remote = {
        "do_remote_prefill": True,
        "remote_engine_id": producer,
        "remote_request_id": "router-1",
        "remote_host": "10.0.0.1",
        "remote_port": 5600,
        "tp_size": 1,
    }
    params = remote if producer else {"do_remote_decode": True}
    told = {
        "request_id": name,
        "kv_transfer_params": params,
        "trace_headers": {"traceparent": "00-1-2-01"},
        "num_prompt_tokens": 40,
        "num_computed_tokens": 40,
        "status": Thing(name="FINISHED_LENGTH_CAPPED"),
    }
    return Thing(**{**told, **more})


class Scheduler:
    """Either half's scheduler."""

    def __init__(self, vllm_config: Any, engine_id: str, kv_cache_config: Any = None) -> None:
        self.vllm_config, self.engine_id, self.block_size = vllm_config, engine_id, 16
        self.side_channel_host, self.side_channel_port = "10.0.0.1", 5600
        self._kv_lease_duration, self._push_registration_timeout = 30, 480.0
        self._push_pending_registrations: dict[str, Any] = {}
        self._push_registration_deadlines: dict[str, float] = {}
        self._newly_finished_push_blocks: dict[str, Any] = {}
        self._finished_request_blocks: dict[str, Any] = {}
        self._heartbeat_req_engine: dict[str, Any] = {}

    def on_new_request(self, request: Any) -> None: ...

    def get_num_new_matched_tokens(self, request: Any, computed: int) -> tuple[int, bool]:
        wants = request.kv_transfer_params.get("do_remote_prefill")
        return (request.num_prompt_tokens - computed, True) if wants else (0, False)

    def update_state_after_alloc(self, request: Any, blocks: Any, tokens: int) -> None:
        params = request.kv_transfer_params
        if not params.get("do_remote_prefill") or tokens <= 0:
            return
        self._push_pending_registrations[request.request_id] = {
            "request_id": request.request_id,
            "decode_engine_id": self.engine_id,
            "decode_host": "10.0.0.2",
            "decode_port": 5700,
            "decode_tp_size": 1,
            "local_block_ids": blocks,
            **{k: v for k, v in params.items() if k.startswith("remote_")},
        }
        self._push_registration_deadlines[request.request_id] = time.perf_counter() + 480
        params["do_remote_prefill"] = False

    def build_connector_meta(self, scheduler_output: Any) -> Any:
        now = time.perf_counter()
        for name, deadline in tuple(self._push_registration_deadlines.items()):
            if deadline <= now:
                del self._push_registration_deadlines[name]
        meta = Thing(
            push_registrations=dict(self._push_pending_registrations),
            push_finished_blocks=dict(self._newly_finished_push_blocks),
            reqs_to_send=dict.fromkeys(self._newly_finished_push_blocks, now + 30),
            heartbeat_by_engine={},
        )
        self._push_pending_registrations.clear()
        self._newly_finished_push_blocks.clear()
        return meta

    def request_finished(self, request: Any, block_ids: Any) -> tuple[bool, Any]:
        self._push_registration_deadlines.pop(request.request_id, None)
        held = bool(request.kv_transfer_params.get("do_remote_decode"))
        if held:
            self._newly_finished_push_blocks[request.request_id] = block_ids
            self._finished_request_blocks[request.request_id] = block_ids
        return held, None

    def update_connector_output(self, connector_output: Any) -> None:
        for name in connector_output.finished_sending or ():
            self._finished_request_blocks.pop(name, None)

    @staticmethod
    def _nixl_handshake_listener(
        encoded: Any, ready: Any, stop: Any, host: str, port: int
    ) -> None: ...

    def shutdown(self) -> None: ...
