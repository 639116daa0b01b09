"""The places of vLLM that the traced connector relies on, each with the events it feeds."""

from enum import StrEnum

import msgspec

_CONNECTORS = "vllm.distributed.kv_transfer.kv_connector"
_NIXL = f"{_CONNECTORS}.v1.nixl"

OWNERS = {
    "connector": f"{_NIXL}.connector:NixlPushConnector",
    "scheduler": f"{_NIXL}.push_scheduler:NixlPushConnectorScheduler",
    "worker": f"{_NIXL}.push_worker:NixlPushConnectorWorker",
    "metadata": f"{_NIXL}.metadata:NixlConnectorMetadata",
    "receive": f"{_NIXL}.metadata:ReqMeta",
    "remote": f"{_NIXL}.metadata:RemoteMeta",
    "heartbeat": f"{_NIXL}.metadata:HeartbeatInfo",
    "results": f"{_CONNECTORS}.v1.base:KVConnectorTransferResults",
    "output": "vllm.v1.outputs:KVConnectorOutput",
    "request": "vllm.v1.request:Request",
    "factory": f"{_CONNECTORS}.factory:KVConnectorFactory",
    "module": f"{_NIXL}.connector",
    "wire": f"{_NIXL}.metadata",
    "ids": f"{_NIXL}.utils",
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
    """Without it nothing is traced; without any other only what it feeds is lost."""

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


def _class(owner: str) -> Seam:
    return Seam(owner=owner, kind=Kind.CLASS, needed=True)


def _method(owner: str, member: str, *feeds: str, needed: bool = False, instead: str = "") -> Seam:
    return Seam(
        owner=owner,
        member=member,
        kind=Kind.METHOD,
        needed=needed,
        feeds=feeds,
        instead=instead,
    )


def _global(owner: str, member: str, *feeds: str, needed: bool = False) -> Seam:
    return Seam(owner=owner, member=member, kind=Kind.GLOBAL, needed=needed, feeds=feeds)


def _attribute(
    owner: str, member: str, *feeds: str, needed: bool = False, instead: str = ""
) -> Seam:
    return Seam(
        owner=owner,
        member=member,
        kind=Kind.ATTRIBUTE,
        needed=needed,
        feeds=feeds,
        instead=instead,
    )


def _tables(owner: str, *members: str) -> tuple[Seam, ...]:
    return tuple(_attribute(owner, member, "tables.sampled") for member in members)


_CONNECTOR = (
    _class("connector"),
    _method("connector", "__init__", needed=True),
    _method("connector", "register_kv_caches", "process.started", needed=True),
    _method("connector", "bind_connector_metadata", "step.sampled"),
    _method("connector", "clear_connector_metadata", "step.sampled"),
    _method("connector", "on_new_request"),
    _method("connector", "get_num_new_matched_tokens"),
    _method("connector", "update_state_after_alloc"),
    _method("connector", "build_connector_meta"),
    _method("connector", "request_finished"),
    _method("connector", "request_finished_all_groups"),
    _method("connector", "update_connector_output"),
    _method("connector", "start_load_kv"),
    _method("connector", "get_finished", instead="connector.get_transfer_results"),
    _method("connector", "get_transfer_results", instead="connector.get_finished"),
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
    _method("scheduler", "set_xfer_handshake_metadata", "listener.started"),
    _method("scheduler", "_nixl_handshake_listener", "listener.started", "listener.died"),
    _method("scheduler", "has_pending_push_work"),
    _method("scheduler", "shutdown", "process.stopped"),
    _attribute("scheduler", "engine_id", needed=True),
    _attribute("scheduler", "side_channel_host", "process.started"),
    _attribute("scheduler", "side_channel_port", "process.started"),
    _attribute("scheduler", "_kv_lease_duration", "process.started"),
    _attribute("scheduler", "_push_registration_timeout", "process.started"),
    _attribute("scheduler", "_push_registration_deadlines", "registration.expired"),
    _attribute("scheduler", "_push_pending_registrations", "registration.staged"),
    _attribute("scheduler", "_nixl_handshake_listener_t", "listener.started"),
    *_tables("scheduler", "_reqs_need_recv", "_reqs_need_send", "_finished_request_blocks"),
    *_tables("scheduler", "_newly_finished_push_blocks", "_reqs_in_batch", "_reqs_not_processed"),
    *_tables("scheduler", "_heartbeat_by_engine", "_heartbeat_req_engine"),
    _attribute("request", "request_id", needed=True),
    _attribute("request", "kv_transfer_params", needed=True),
    _attribute("request", "trace_headers"),
    _attribute("request", "status", "request.finished"),
    _attribute("request", "num_computed_tokens", "blocks.ready"),
    _attribute("request", "num_prompt_tokens", "request.admitted"),
    _attribute("output", "finished_recving", "receive.finished"),
    _attribute("output", "finished_sending", "blocks.released"),
    _attribute("output", "failed_recving", "receive.failed"),
)

_METADATA = (
    _class("metadata"),
    _attribute("metadata", "push_registrations", "registration.shipped", "registration.queued"),
    _attribute("metadata", "push_finished_blocks", "blocks.shipped", "blocks.queued"),
    _attribute("metadata", "reqs_to_send", "blocks.shipped", "lease.granted"),
    _attribute("metadata", "reqs_to_recv", "registration.queued"),
    _attribute("metadata", "reqs_in_batch"),
    _attribute("metadata", "reqs_not_processed"),
    _attribute("metadata", "heartbeat_by_engine", "heartbeat.sent"),
    _attribute("metadata", "scheduler_clock", "lease.granted"),
    _attribute("receive", "local_block_ids"),
    _attribute("receive", "local_physical_block_ids"),
    _attribute("receive", "tp_size"),
    _attribute("receive", "pp_size"),
    _attribute("receive", "remote"),
    _attribute("remote", "engine_id"),
    _attribute("remote", "request_id"),
    _attribute("remote", "block_ids"),
    _attribute("remote", "host"),
    _attribute("remote", "port"),
    _attribute("heartbeat", "req_ids", "heartbeat.sent"),
    _global("wire", "PUSH_REG_NOTIF_PREFIX", "registration.sent", "notification.noticed"),
    _method("ids", "get_base_request_id", "match.made", "match.missed"),
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
    _method("worker", "_push_writer_loop", "writer.failed"),
    _method("worker", "_handle_push_reg_notif", "registration.noticed", "writer.failed"),
    _method("worker", "_send_registration_to_p", "registration.send_failed", "writer.failed"),
    _method("worker", "_do_send_reg_notif", "registration.sent", "registration.send_failed"),
    _method("worker", "_pop_matching_registration", "match.made", "match.missed"),
    _method("worker", "_pop_matching_finished_blocks", "match.made", "match.missed"),
    _method("worker", "_do_start_push_kv", "write.started", "writer.failed"),
    _method("worker", "_xfer_blocks_for_req", "write.started"),
    _method("worker", "_xfer_blocks", "write.started", *_WRITE),
    _method("worker", "_get_new_notifs", "completion.counted"),
    _method("worker", "_ensure_handshake", "handshake.started"),
    _method("worker", "_nixl_handshake", *_HANDSHAKE),
    _method("worker", "_background_nixl_handshake"),
    _method("worker", "_add_notif_only_remote_agent", instead="worker.add_remote_agent"),
    _method("worker", "add_remote_agent", "handshake.finished"),
    _method("worker", "_log_failure", "failure.logged"),
    _method("worker", "_handle_heartbeat", "lease.renewed"),
    _method("worker", "_send_heartbeats", "heartbeat.sent"),
    _method("worker", "_reap_expired_send_leases", "lease.expired"),
    _method("worker", "_pop_done_transfers", "write.finished", "write.failed"),
    _method("worker", "_handle_failed_transfer", "write.failed"),
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
    _method("worker", "shutdown", "process.stopped"),
    _attribute("results", "finished_sending", "send.reported", instead="worker.get_finished"),
    _attribute("results", "finished_recving", "receive.reported", instead="worker.get_finished"),
    _attribute("results", "failed_recving", "receive.reported"),
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
    _attribute("worker", "tp_rank", needed=True),
    _attribute("worker", "world_size", "completion.counted"),
    _attribute("worker", "compat_hash", "process.started"),
    _attribute("worker", "xfer_stats"),
    _attribute("worker", "consumer_notification_counts_by_req", "completion.counted"),
    _attribute("worker", "_engine_clock_offset", "handshake.finished"),
    _attribute("worker", "_handshake_lock"),
    _attribute("worker", "_sending_transfers_lock"),
    _attribute("worker", "_push_writer_wake"),
    _attribute("worker", "_push_writer_thread"),
    *_tables("worker", "_remote_agents", "_handshake_futures", "_reqs_to_process"),
    *_tables("worker", "_recving_metadata", "_recving_transfers", "_reqs_to_send"),
    *_tables("worker", "_push_finished_blocks", "_pending_d_registrations"),
    *_tables("worker", "_sending_transfers", "_reg_send_inbox", "_finished_blocks_inbox"),
    *_tables("worker", "_pending_completion_notifs", "_evict_finished_inbox"),
    *_tables("worker", "_failed_recv_reqs"),
    _attribute("worker", "_deferred_push_inbox"),
)

SEAMS = (*_CONNECTOR, *_SCHEDULER, *_METADATA, *_WORKER, *_WORKER_STATE)
"""Every place of vLLM that the traced connector relies on."""
