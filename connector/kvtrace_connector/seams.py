"""The places of vLLM that the traced connector relies on, each with the events it feeds."""

from enum import StrEnum
from functools import partial

import msgspec

_CONNECTORS = "vllm.distributed.kv_transfer.kv_connector"
_NIXL = f"{_CONNECTORS}.v1.nixl"

OWNERS = {
    "connector": f"{_NIXL}.connector:NixlPushConnector",
    "scheduler": f"{_NIXL}.push_scheduler:NixlPushConnectorScheduler",
    "worker": f"{_NIXL}.push_worker:NixlPushConnectorWorker",
    "metadata": f"{_NIXL}.metadata:NixlConnectorMetadata",
    "receive": f"{_NIXL}.metadata:ReqMeta",
    "read_spec": f"{_NIXL}.tp_mapping:ReadSpec",
    "heartbeat": f"{_NIXL}.metadata:HeartbeatInfo",
    "results": f"{_CONNECTORS}.v1.base:KVConnectorTransferResults",
    "output": "vllm.v1.outputs:KVConnectorOutput",
    "request": "vllm.v1.request:Request",
    "factory": f"{_CONNECTORS}.factory:KVConnectorFactory",
    "module": f"{_NIXL}.connector",
    "wire": f"{_NIXL}.metadata",
}
"""Where a seam is looked for: `module:class`, or a module alone for its globals."""


class Kind(StrEnum):
    """What a seam is, and so how it is compared."""

    CLASS = "class"
    """A class; its bases may grow, but none may go."""

    METHOD = "method"
    """A method, own or inherited, or a function; compared by its parameters."""

    ATTRIBUTE = "attribute"
    """A field, a class attribute, or what `__init__` assigns."""

    GLOBAL = "global"
    """A name in a module; a constant is compared by its value."""

    TEXT = "text"
    """A literal in a method's body, where vLLM gives it no name."""


class Seam(msgspec.Struct, frozen=True, kw_only=True):
    """One place of vLLM that the traced connector relies on."""

    owner: str
    """A key of `OWNERS`."""

    member: str = ""
    kind: Kind
    needed: bool = False
    """Nothing is traced without it. Without any other, only what it feeds is lost: so whatever a
    hook reads unguarded is needed."""

    feeds: tuple[str, ...] = ()
    """The events that come from it."""

    instead: str = ""
    """The seam that tells the same on releases that do not have this one."""

    text: str = ""

    @property
    def name(self) -> str:
        """What logs and tables call it."""
        name = f"{self.owner}.{self.member}" if self.member else self.owner
        return f"{name}: {self.text}" if self.text else name


def _seam(
    kind: Kind, owner: str, member: str, *feeds: str, needed: bool = False, instead: str = ""
) -> Seam:
    return Seam(owner=owner, member=member, kind=kind, needed=needed, feeds=feeds, instead=instead)


_class = partial(_seam, Kind.CLASS, member="", needed=True)
_method = partial(_seam, Kind.METHOD)
_attribute = partial(_seam, Kind.ATTRIBUTE)
_global = partial(_seam, Kind.GLOBAL)


def _tables(owner: str, *members: str) -> tuple[Seam, ...]:
    return tuple(_attribute(owner, member, "tables.sampled") for member in members)


_CONNECTOR = (
    _class("connector"),
    _method("connector", "__init__", needed=True),
    _method("connector", "bind_connector_metadata", "step.sampled"),
    _method("connector", "clear_connector_metadata", "step.sampled"),
    _method("connector", "start_load_kv", "step.sampled"),
    _method("connector", "shutdown", "process.stopped"),
    _attribute("connector", "connector_scheduler", needed=True),
    _attribute("connector", "connector_worker", needed=True),
    _global("module", "NixlPushConnectorScheduler", needed=True),
    _global("module", "NixlPushConnectorWorker", needed=True),
    _attribute("factory", "_registry"),
)

_SCHEDULER = (
    _class("scheduler"),
    _method("scheduler", "__init__", needed=True),
    _method("scheduler", "on_new_request", "request.admitted", needed=True),
    _method("scheduler", "get_num_new_matched_tokens", "load.decided"),
    _method(
        "scheduler",
        "update_state_after_alloc",
        *("registration.staged", "registration.skipped", "request.resumed", "prefill.admitted"),
        needed=True,
    ),
    _method(
        "scheduler",
        "build_connector_meta",
        *("registration.shipped", "registration.expired", "blocks.shipped"),
        needed=True,
    ),
    _method("scheduler", "request_finished", "request.finished", "blocks.ready", needed=True),
    _method(
        "scheduler",
        "update_connector_output",
        *("receive.finished", "receive.failed", "blocks.released"),
        needed=True,
    ),
    _method("scheduler", "_nixl_handshake_listener", "listener.started", "listener.died"),
    _attribute("scheduler", "engine_id", needed=True),
    _attribute("scheduler", "vllm_config", "process.started", needed=True),
    _attribute("scheduler", "block_size", "process.started", needed=True),
    _attribute("scheduler", "side_channel_host", "process.started", needed=True),
    _attribute("scheduler", "side_channel_port", "process.started", needed=True),
    _attribute("scheduler", "_kv_lease_duration", "process.started"),
    _attribute("scheduler", "_push_registration_timeout", "process.started"),
    _attribute("scheduler", "_push_registration_deadlines", "registration.expired", needed=True),
    _attribute("scheduler", "_push_pending_registrations", "registration.staged", needed=True),
    *_tables("scheduler", "_newly_finished_push_blocks", "_finished_request_blocks"),
    *_tables("scheduler", "_heartbeat_req_engine"),
    _attribute("request", "request_id", needed=True),
    _attribute("request", "kv_transfer_params", needed=True),
    _attribute("request", "trace_headers"),
    _attribute("request", "status", "request.finished", needed=True),
    _attribute("request", "num_computed_tokens", "blocks.ready"),
    _attribute("request", "num_prompt_tokens", "request.admitted"),
    _attribute("output", "finished_recving", "receive.finished", needed=True),
    _attribute("output", "finished_sending", "blocks.released", needed=True),
    _attribute("output", "failed_recving", "receive.failed"),
)

_METADATA = (
    _class("metadata"),
    _attribute(
        "metadata", "push_registrations", "registration.shipped", "registration.queued", needed=True
    ),
    _attribute("metadata", "push_finished_blocks", "blocks.shipped", "blocks.queued", needed=True),
    _attribute("metadata", "reqs_to_send", "blocks.shipped", "lease.granted", needed=True),
    _attribute("metadata", "heartbeat_by_engine", "heartbeat.sent", needed=True),
    _attribute("metadata", "scheduler_clock", "lease.granted"),
    _attribute("receive", "pp_size"),
    _attribute("read_spec", "remote_rank", "write.posted", needed=True),
    _attribute("read_spec", "local_block_ids", "write.posted", needed=True),
    _attribute("read_spec", "remote_block_ids", "write.posted", needed=True),
    _attribute("heartbeat", "req_ids", "heartbeat.sent", needed=True),
    _global("wire", "PUSH_REG_NOTIF_PREFIX", "registration.sent", "notification.noticed"),
)

_HANDSHAKE = ("handshake.started", "handshake.finished", "handshake.failed")
_WRITE = ("write.posted", "write.finished", "write.failed")

_WORKER = (
    _class("worker"),
    _method("worker", "__init__", needed=True),
    _method("worker", "register_kv_caches", "process.started", needed=True),
    _method(
        "worker",
        "start_load_kv",
        *("registration.queued", "blocks.queued", "lease.granted"),
        needed=True,
    ),
    _method("worker", "_handle_push_reg_notif", "registration.noticed", "writer.failed"),
    _method("worker", "_send_registration_to_p", "registration.send_failed", "writer.failed"),
    _method("worker", "_do_send_reg_notif", "registration.sent", "registration.send_failed"),
    _method("worker", "_pop_matching_registration", "match.made", "match.missed"),
    _method("worker", "_pop_matching_finished_blocks", "match.made", "match.missed"),
    _method("worker", "_do_start_push_kv", "write.started", "writer.failed"),
    _method("worker", "_xfer_blocks", "write.started", *_WRITE),
    _method("worker", "_get_new_notifs", "completion.counted"),
    _method("worker", "_ensure_handshake", "handshake.started"),
    _method("worker", "_nixl_handshake", *_HANDSHAKE),
    _method("worker", "_add_notif_only_remote_agent", instead="worker.add_remote_agent"),
    _method("worker", "add_remote_agent", "handshake.finished"),
    _method("worker", "_log_failure", "failure.logged"),
    _method("worker", "_handle_heartbeat", "lease.renewed"),
    _method("worker", "_send_heartbeats", "heartbeat.sent"),
    _method("worker", "_reap_expired_send_leases", "lease.expired", instead="worker.get_finished"),
    _method(
        "worker",
        "get_finished",
        *("receive.reported", "send.reported"),
        needed=True,
        instead="worker.get_transfer_results",
    ),
    _method(
        "worker",
        "get_transfer_results",
        *("receive.reported", "send.reported"),
        needed=True,
        instead="worker.get_finished",
    ),
    _attribute("results", "finished_sending", "send.reported", instead="worker.get_finished"),
    _attribute("results", "finished_recving", "receive.reported", instead="worker.get_finished"),
    _attribute("results", "failed_recving", "receive.reported", instead="worker._log_failure"),
    Seam(
        owner="worker",
        member="_send_heartbeats",
        kind=Kind.TEXT,
        text="HB:",
        feeds=("heartbeat.sent", "notification.noticed"),
    ),
)

_WORKER_STATE = (
    _attribute("worker", "nixl_wrapper", *_WRITE, "registration.sent", needed=True),
    _attribute("worker", "engine_id", needed=True),
    _attribute("worker", "vllm_config", "process.started", needed=True),
    _attribute("worker", "block_size", "process.started", needed=True),
    _attribute("worker", "tp_rank", needed=True),
    _attribute("worker", "world_size", "completion.counted", needed=True),
    _attribute("worker", "compat_hash", "process.started"),
    _attribute("worker", "consumer_notification_counts_by_req", "completion.counted", needed=True),
    _attribute("worker", "_engine_clock_offset", "handshake.finished"),
    _attribute("worker", "_remote_agents", "handshake.started", needed=True),
    _attribute("worker", "_recving_metadata", "completion.counted", needed=True),
    _attribute("worker", "_recving_transfers", "completion.counted", needed=True),
    _attribute("worker", "_reqs_to_send", "lease.granted", "lease.renewed", needed=True),
    _attribute("worker", "_push_finished_blocks", "tables.sampled", needed=True),
    _attribute("worker", "_pending_d_registrations", "tables.sampled", needed=True),
    *_tables("worker", "_sending_transfers", "_reg_send_inbox", "_finished_blocks_inbox"),
    *_tables("worker", "_pending_completion_notifs", "_handshake_futures", "_failed_recv_reqs"),
    _attribute("worker", "_deferred_push_inbox"),
)

SEAMS = (*_CONNECTOR, *_SCHEDULER, *_METADATA, *_WORKER, *_WORKER_STATE)
"""Every place of vLLM that the traced connector relies on."""
