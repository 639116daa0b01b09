"""A producer and a consumer of vLLM's own push connector in one process, with NIXL between them.

They have no model and no engine: who uses them plays the scheduler and the model runner.
"""

import json
import os
import socket
import threading
import time
from pathlib import Path
from types import SimpleNamespace as Thing
from typing import Any

import torch
from vllm.config import set_current_vllm_config
from vllm.distributed import init_distributed_environment, initialize_model_parallel
from vllm.distributed.kv_transfer.kv_connector.v1 import KVConnectorRole
from vllm.engine.arg_utils import EngineArgs
from vllm.v1.kv_cache_interface import FullAttentionSpec, KVCacheConfig, KVCacheGroupSpec
from vllm.v1.outputs import KVConnectorOutput
from vllm.v1.request import RequestStatus

from tests.connector.by_hand import Inbox, OneTurn

BLOCK_SIZE, BLOCKS, LAYERS, HEADS, HEAD_SIZE = 32, 256, 4, 4, 32
HOST = "127.0.0.1"

MODEL = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": HEADS * HEAD_SIZE,
    "intermediate_size": 256,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "num_key_value_heads": HEADS,
    "head_dim": HEAD_SIZE,
    "vocab_size": 1024,
    "max_position_embeddings": 8192,
    "torch_dtype": "bfloat16",
}


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server((HOST, 0)) as listener:
        return int(listener.getsockname()[1])


def settings(engine: str, role: str, directory: Path, extra: dict[str, Any] | None = None) -> Any:
    """The configuration of an engine that would serve a tiny model."""
    (directory / "config.json").write_text(json.dumps(MODEL))
    arguments = EngineArgs(
        model=str(directory),
        skip_tokenizer_init=True,
        load_format="dummy",
        enforce_eager=True,
        dtype="bfloat16",
        block_size=BLOCK_SIZE,
        max_model_len=4096,
        kv_transfer_config={
            "kv_connector": "NixlPushConnector",
            "kv_role": role,
            "kv_buffer_device": "cpu",
            "engine_id": engine,
            "kv_connector_extra_config": extra or {},
        },
    )
    config = arguments.create_engine_config()
    config.cache_config.kv_cache_layout = "LBHNC"
    return config


def one_rank(config: Any) -> None:
    """Make this process the only rank of its engine."""
    with set_current_vllm_config(config):
        init_distributed_environment(1, 0, f"tcp://{HOST}:{free_port()}", 0, "gloo")
        initialize_model_parallel(1, 1)


def cache() -> tuple[Any, dict[str, Any]]:
    """The layout of a KV cache, and its memory by layer."""
    names = [f"model.layers.{number}.self_attn.attn" for number in range(LAYERS)]
    spec = FullAttentionSpec(
        block_size=BLOCK_SIZE, num_kv_heads=HEADS, head_size=HEAD_SIZE, dtype=torch.bfloat16
    )
    layout = KVCacheConfig(
        num_blocks=BLOCKS, kv_cache_tensors=[], kv_cache_groups=[KVCacheGroupSpec(names, spec)]
    )
    shape = (BLOCKS, HEADS, BLOCK_SIZE, 2 * HEAD_SIZE)
    return layout, {name: torch.zeros(shape, dtype=torch.bfloat16) for name in names}


class Engine:
    """Both halves of one engine's connector."""

    def __init__(self, connector: Any, config: Any, port: int, by_hand: bool = False) -> None:
        os.environ["VLLM_NIXL_SIDE_CHANNEL_HOST"] = HOST
        os.environ["VLLM_NIXL_SIDE_CHANNEL_PORT"] = str(port)
        layout, self.memory = cache()
        # Engines change the worker's affinity to one core of its own, which we have not.
        cpus = os.sched_getaffinity(0)
        self.scheduler = connector(config, KVConnectorRole.SCHEDULER, layout)
        self.worker = connector(config, KVConnectorRole.WORKER, layout)
        os.sched_setaffinity(0, cpus)
        if by_hand:
            self.worker.connector_worker._push_writer_thread = threading.current_thread()
            agent = self.worker.connector_worker.nixl_wrapper
            self.inbox = Inbox(getattr(agent, "_agent", agent))
        self.worker.register_kv_caches(self.memory)
        metadata = self.worker.get_handshake_metadata()
        self.scheduler.set_xfer_handshake_metadata_pp_aware({(0, 0): metadata})

    def step(self) -> Any:
        """One step without a model; what the ranks report."""
        worker = self.worker
        worker.bind_connector_metadata(self.scheduler.build_connector_meta(Thing()))
        worker.start_load_kv(Thing(attn_metadata=None))
        worker.wait_for_save()
        results = worker.get_transfer_results(set())
        worker.clear_connector_metadata()
        output = KVConnectorOutput(
            finished_sending=results.finished_sending,
            finished_recving=results.finished_recving,
            failed_recving=results.failed_recving,
        )
        self.scheduler.update_connector_output(output)
        return results

    def turn(self) -> None:
        """One turn of the writer's loop, for one whose writer is driven by hand."""
        worker = self.worker.connector_worker
        worker._push_writer_stop = OneTurn()
        worker._push_writer_wake.set()
        worker._push_writer_loop()

    def shutdown(self) -> None:
        """Stop its threads."""
        if isinstance(self.worker.connector_worker._push_writer_stop, OneTurn):
            self.worker.connector_worker._push_writer_thread = None
        self.worker.shutdown()
        self.scheduler.shutdown()


def request(name: str, params: dict[str, Any], tokens: int) -> Any:
    """A request as far as a connector looks at it."""
    return Thing(
        request_id=name,
        kv_transfer_params=params,
        prompt_token_ids=[7] * tokens,
        num_prompt_tokens=tokens,
        num_computed_tokens=tokens,
        status=RequestStatus.FINISHED_LENGTH_CAPPED,
        trace_headers=None,
    )


class Pair:
    """A producer P and a consumer D that can reach each other."""

    def __init__(
        self,
        connector: Any,
        directory: Path,
        names: tuple[str, str] = ("P", "D"),
        by_hand: bool = False,
    ) -> None:
        self.names, self.by_hand, self.port = names, by_hand, free_port()
        self.rested = 0
        """Nanoseconds of CPU time that went into waiting."""

        self.told: dict[Engine, int] = {}
        """How many messages each engine had when last waited for."""

        producer, consumer = (
            settings(name, role, directory)
            for name, role in zip(names, ("kv_producer", "kv_consumer"), strict=True)
        )
        if not torch.distributed.is_initialized():
            one_rank(producer)
        self.producer = Engine(connector, producer, self.port, by_hand)
        self.consumer = Engine(connector, consumer, free_port(), by_hand)

    def push(self, number: int, blocks: int = 4) -> int:
        """Do one whole transfer; how many steps each engine took at its end."""
        ours, theirs, ids = self._requests(number, blocks)
        self.park(theirs, ids)
        self.consumer.step()
        self._prefill(ours)
        self.producer.step()
        self.producer.scheduler.request_finished_all_groups(ours, ids)
        steps = self._until_done(ours.request_id, theirs.request_id)
        self._resume(theirs, ids)
        return steps

    def push_together(self, numbers: range, blocks: int = 4) -> None:
        """Do transfers that share their few steps, between peers that know each other."""
        requests = [self._requests(number, blocks) for number in numbers]
        for _, theirs, ids in requests:
            self.park(theirs, ids)
        self.consumer.step()
        self.consumer.turn()
        self._until_told(self.producer, len(numbers))
        for ours, _, _ in requests:
            self._prefill(ours)
        self.producer.step()
        self.producer.turn()
        for ours, _, ids in requests:
            self.producer.scheduler.request_finished_all_groups(ours, ids)
        self.producer.step()
        self.producer.turn()
        self._until_told(self.consumer, len(numbers))
        sent = self.producer.step().finished_sending
        self.consumer.turn()
        received = self.consumer.step().finished_recving
        assert (len(sent), len(received)) == (len(numbers), len(numbers))
        for _, theirs, ids in requests:
            self._resume(theirs, ids)

    def _requests(self, number: int, blocks: int) -> tuple[Any, Any, tuple[list[int], ...]]:
        tokens = blocks * BLOCK_SIZE
        ours = request(f"cmpl-r{number}-aaaaaaaa", {"do_remote_decode": True}, tokens)
        theirs = request(f"cmpl-r{number}-bbbbbbbb", self._remote(number), tokens)
        return ours, theirs, (list(range(1, blocks + 1)),)

    def _prefill(self, ours: Any) -> None:
        self.producer.scheduler.on_new_request(ours)
        self.producer.scheduler.update_state_after_alloc(ours, Thing(), 0)

    def _resume(self, theirs: Any, ids: tuple[list[int], ...]) -> None:
        self.consumer.scheduler.update_state_after_alloc(theirs, Thing(), 0)
        self.consumer.scheduler.request_finished_all_groups(theirs, ids)

    def park(self, theirs: Any, ids: tuple[list[int], ...]) -> None:
        """The consumer takes a request in and lets it wait."""
        scheduler = self.consumer.scheduler
        scheduler.on_new_request(theirs)
        wanted, _ = scheduler.get_num_new_matched_tokens(theirs, 0)
        blocks = Thing(get_unhashed_block_ids_all_groups=lambda: ids)
        scheduler.update_state_after_alloc(theirs, blocks, wanted)

    def _remote(self, number: int) -> dict[str, Any]:
        return {
            "do_remote_prefill": True,
            "remote_engine_id": self.names[0],
            "remote_request_id": f"r{number}",
            "remote_host": HOST,
            "remote_port": self.port,
            "tp_size": 1,
        }

    def _until_done(self, sent: str, received: str) -> int:
        missing = {sent, received}
        for steps in range(1, 20_000):
            for engine in (self.consumer, self.producer):
                if self.by_hand:
                    engine.turn()
                    self._rest()
                results = engine.step()
                missing -= results.finished_sending | results.finished_recving
            if not missing:
                return steps
            if not self.by_hand:
                time.sleep(0.0005)
        raise TimeoutError(f"{missing} did not end within {steps} steps")

    def _rest(self) -> None:
        """Let what was sent or written arrive, so that steps are always the same few."""
        before = time.thread_time_ns()
        time.sleep(0.01)
        self.rested += time.thread_time_ns() - before

    def _until_told(self, engine: Engine, messages: int) -> None:
        """Look, without a rest in which the processor forgets us, until messages have come.

        By then the writes have landed that these tell of, and the producer sees that too.
        """
        before = time.thread_time_ns()
        inbox = engine.inbox
        self.told[engine] = wanted = self.told.get(engine, inbox.messages) + messages
        end = time.monotonic() + 20
        while self._writing() or inbox.messages < wanted:
            inbox.look()
            if time.monotonic() > end:
                raise TimeoutError(f"{wanted - inbox.messages} messages did not come")
        self.rested += time.thread_time_ns() - before

    def _writing(self) -> bool:
        worker = self.producer.worker.connector_worker
        agent = getattr(worker.nixl_wrapper, "_agent", worker.nixl_wrapper)
        writes = [one for handles in worker._sending_transfers.values() for one in handles]
        return any(agent.check_xfer_state(one) == "PROC" for one in writes)

    def shutdown(self) -> None:
        """Stop both engines."""
        self.producer.shutdown()
        self.consumer.shutdown()
