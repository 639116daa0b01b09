"""A stand-in for vLLM's worker half, whose NIXL is a wire of dictionaries."""

import queue
import time
from collections import defaultdict
from concurrent.futures import Future
from types import SimpleNamespace as Thing
from typing import Any

import msgspec

from kvtrace.identity import base_id


class Handle:
    """One write; compared by nothing but itself."""


class Agent:
    """A NIXL agent on a wire that is a dictionary of agents by name."""

    def __init__(self, name: str, wire: dict[str, "Agent"]) -> None:
        self.name, self.wire = name, wire
        self.inbox: dict[str, list[bytes]] = {}
        self.state = "DONE"
        self.notes: dict[Handle, tuple[str, bytes]] = {}
        wire[name] = self

    def send_notif(self, agent: str, notif_msg: bytes = b"") -> None:
        self.wire[agent].inbox.setdefault(self.name, []).append(notif_msg)

    def get_new_notifs(self) -> dict[str, list[bytes]]:
        found, self.inbox = self.inbox, {}
        return found

    def make_prepped_xfer(
        self, operation: str, local: Any, ids: Any, remote: Any, ids2: Any, notif_msg: bytes
    ) -> Handle:
        handle = Handle()
        self.notes[handle] = (remote, notif_msg)
        return handle

    def transfer(self, handle: Handle) -> str:
        agent, message = self.notes[handle]
        self.send_notif(agent, message)
        return self.state

    def check_xfer_state(self, handle: Handle) -> str:
        return self.state

    def get_xfer_telemetry(self, handle: Handle) -> Any:
        return Thing(totalBytes=4096, descCount=3, postDuration=5, xferDuration=70)

    def release_xfer_handle(self, handle: Handle) -> None:
        del self.notes[handle]


class Worker:
    """Either half's worker; its writer's loop is run a turn at a time by who tests it."""

    def __init__(self, vllm_config: Any, engine_id: str, agent: Any) -> None:
        self.vllm_config, self.engine_id, self.block_size = vllm_config, engine_id, 16
        self.tp_rank, self.world_size, self.num_blocks, self.num_regions = 0, 1, 64, 4
        self.nixl_wrapper = agent
        self.consumer_notification_counts_by_req: dict[str, int] = defaultdict(int)
        self._remote_agents: dict[str, dict[Any, str]] = defaultdict(dict)
        self._recving_metadata: dict[str, Any] = {}
        self._recving_transfers: dict[str, list[Any]] = {}
        self._sending_transfers: dict[str, list[Any]] = {}
        self._reqs_to_send: dict[str, float] = {}
        self._push_finished_blocks: dict[str, Any] = {}
        self._pending_d_registrations: dict[str, Any] = {}
        self._reg_send_inbox: queue.Queue[Any] = queue.Queue()
        self._finished_blocks_inbox: queue.Queue[Any] = queue.Queue()
        self._pending_completion_notifs: queue.Queue[bytes] = queue.Queue()
        self._handshake_futures: dict[str, Any] = {}

    def register_kv_caches(self, kv_caches: Any) -> None:
        self.compat_hash = "c0ffee"

    def start_load_kv(self, metadata: Any) -> None:
        for item in metadata.push_registrations.items():
            self._recving_metadata[item[0]] = Thing(pp_size=1)
            self._reg_send_inbox.put(item)
        for item in metadata.push_finished_blocks.items():
            self._finished_blocks_inbox.put(item)
        self._reqs_to_send.update(metadata.reqs_to_send)
        self._send_heartbeats(metadata)

    def turn(self) -> None:
        """One turn of the writer's loop."""
        while not self._reg_send_inbox.empty():
            self._send_registration_to_p(*self._reg_send_inbox.get())
        while not self._finished_blocks_inbox.empty():
            name, blocks = self._finished_blocks_inbox.get()
            wanted = self._pop_matching_registration(name)
            if wanted is None:
                self._push_finished_blocks[name] = blocks
            else:
                self._do_start_push_kv(name, blocks, wanted)
        for messages in self.nixl_wrapper.get_new_notifs().values():
            for message in messages:
                if message.startswith(b"PUSH_REG:"):
                    self._handle_push_reg_notif(message)
                else:
                    self._pending_completion_notifs.put(message)

    def _handle_push_reg_notif(self, notif: bytes) -> None:
        registration = msgspec.msgpack.decode(notif[9:])
        found = self._pop_matching_finished_blocks(registration["request_id"])
        if found is None:
            self._pending_d_registrations[registration["request_id"]] = registration
        else:
            self._do_start_push_kv(*found, registration)

    def _pop_matching_registration(self, request_id: str) -> Any:
        return next(
            (
                self._pending_d_registrations.pop(name)
                for name in tuple(self._pending_d_registrations)
                if base_id(name) == base_id(request_id)
            ),
            None,
        )

    def _pop_matching_finished_blocks(self, request_id: str) -> Any:
        return next(
            (
                (name, self._push_finished_blocks.pop(name))
                for name in tuple(self._push_finished_blocks)
                if base_id(name) == base_id(request_id)
            ),
            None,
        )

    def _send_registration_to_p(self, req_id: str, reg_data: Any) -> None:
        engine = reg_data["remote_engine_id"]
        self._ensure_handshake(engine, reg_data["remote_host"], reg_data["remote_port"], 1)
        self._do_send_reg_notif(req_id, reg_data)

    def _do_send_reg_notif(self, req_id: str, reg_data: Any) -> None:
        message = b"PUSH_REG:" + msgspec.msgpack.encode(reg_data)
        for agent in self._remote_agents[reg_data["remote_engine_id"]].values():
            try:
                self.nixl_wrapper.send_notif(agent, notif_msg=message)
            except ConnectionError as error:
                self._log_failure("push_reg_notif_failed", req_id, error=error)

    def _do_start_push_kv(self, request_id: str, blocks: Any, registration: Any) -> None:
        engine = registration["decode_engine_id"]
        self._ensure_handshake(engine, registration["decode_host"], 5700, 1)
        for (_, rank), agent in self._remote_agents[engine].items():
            spec = Thing(remote_rank=rank, local_block_ids=blocks, remote_block_ids=blocks)
            self._xfer_blocks(
                read_spec=spec,
                dst_engine_id=engine,
                request_id=request_id,
                remote_request_id=registration["request_id"],
                local_xfer_side_handle=0,
                remote_xfer_side_handle=agent,
            )

    def _xfer_blocks(self, *, read_spec: Any, request_id: str, **more: Any) -> None:
        ids = read_spec.local_block_ids[0]
        note = f"{more['remote_request_id']}:{self.world_size}".encode()
        agent = more["remote_xfer_side_handle"]
        try:
            handle = self.nixl_wrapper.make_prepped_xfer(
                "WRITE", 0, ids, agent, ids, notif_msg=note
            )
            self.nixl_wrapper.transfer(handle)
        except ConnectionError as error:
            self._log_failure("transfer_setup_failed", request_id, error=error)
            return
        self._sending_transfers.setdefault(request_id, []).append(handle)

    def _ensure_handshake(self, engine: str, host: str, port: int, tp_size: int) -> Any:
        if engine in self._remote_agents:
            return None
        agents, _ = self._nixl_handshake(host, port, tp_size, engine)
        self._remote_agents[engine] = agents
        return Future()

    def _nixl_handshake(
        self, host: str, port: int, remote_tp_size: int, expected_engine_id: str
    ) -> Any:
        self.add_remote_agent(expected_engine_id)
        return {(0, 0): f"agent-{expected_engine_id}"}, 0.5

    def add_remote_agent(self, metadata: Any) -> None: ...

    def get_transfer_results(self) -> Any:
        self._get_new_notifs()
        received = {name for name in self._recving_transfers if self._recving_metadata.pop(name)}
        self._recving_transfers.clear()
        sent: set[str] = set()
        for name, handles in tuple(self._sending_transfers.items()):
            if all(self._landed(name, handle) for handle in handles):
                del self._sending_transfers[name]
                self._reqs_to_send.pop(name, None)
                sent.add(name)
        self._reap_expired_send_leases(sent)
        return Thing(finished_sending=sent, finished_recving=received, failed_recving=set())

    def _landed(self, name: str, handle: Any) -> bool:
        if self.nixl_wrapper.check_xfer_state(handle) != "DONE":
            return False
        self.nixl_wrapper.get_xfer_telemetry(handle)
        self.nixl_wrapper.release_xfer_handle(handle)
        return True

    def _get_new_notifs(self) -> None:
        while not self._pending_completion_notifs.empty():
            message = self._pending_completion_notifs.get().decode()
            if message.startswith("HB:"):
                self._handle_heartbeat(message[3:])
            else:
                self._recving_transfers[message.rsplit(":", 1)[0]] = []

    def _reap_expired_send_leases(self, done_sending: set[str]) -> None:
        for name, until in tuple(self._reqs_to_send.items()):
            if until <= time.perf_counter():
                del self._reqs_to_send[name]
                done_sending.add(name)

    def _handle_heartbeat(self, payload: str) -> None: ...

    def _send_heartbeats(self, metadata: Any) -> None:
        for engine, beat in metadata.heartbeat_by_engine.items():
            for agent in self._remote_agents[engine].values():
                note = ("HB:" + ",".join(beat.req_ids)).encode()
                self.nixl_wrapper.send_notif(agent, notif_msg=note)

    def _log_failure(self, failure_type: str, req_id: Any, **context: Any) -> None: ...

    def shutdown(self) -> None: ...
