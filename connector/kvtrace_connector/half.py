"""What we know of one worker: what its threads are at, and what they told that is still open."""

import threading
from collections.abc import Mapping
from typing import Any

import msgspec

from kvtrace_connector.bounded import Bounded
from kvtrace_connector.probe import Probe
from kvtrace_connector.samples import Steps, Tables

TABLES = {
    "blocks": "_push_finished_blocks",
    "registrations": "_pending_d_registrations",
    "writes": "_sending_transfers",
    "receives": "_recving_metadata",
    "leases": "_reqs_to_send",
    "handshakes": "_handshake_futures",
    "peers": "_remote_agents",
    "registrations_to_send": "_reg_send_inbox",
    "blocks_to_match": "_finished_blocks_inbox",
    "notifications_to_count": "_pending_completion_notifs",
    "pushes_to_resume": "_deferred_push_inbox",
    "receives_to_fail": "_failed_recv_reqs",
}
"""vLLM's tables by what screens call them."""


class Sending(msgspec.Struct):
    """A registration on its way to the ranks of a producer."""

    request: str
    producer: str
    tried: bool = False


class Push(msgspec.Struct):
    """The writer's attempt to write one request's blocks."""

    request: str
    deferred: bool = False
    posted: int = 0
    error: str = ""


class Write(msgspec.Struct):
    """One write to one consumer rank, until NIXL's handle is released."""

    request: str
    consumer: str
    peer_rank: int
    remote_request: str
    blocks: int
    remote_blocks: int
    descriptors: int = 0
    prepare: int = 0
    posted: int = 0
    polls: int = 0
    landed: bool = False
    told: bool = False
    """Whether its end was recorded."""


class Asked(msgspec.Struct):
    """A handshake in the queue."""

    at: int
    side: str
    request: str


class Exchange(msgspec.Struct):
    """A handshake at work."""

    since: int
    round_trip: int = 0


class Peer(msgspec.Struct):
    """Whose NIXL agent it is."""

    engine: str
    rank: int


class Here(threading.local):
    """What the calling thread is at."""

    side: str = ""
    """On whose half: P or D."""

    request: str = ""
    sending: Sending | None = None
    registration: Any = None
    push: Push | None = None
    write: Write | None = None
    exchange: Exchange | None = None
    beats: dict[str, str] | None = None
    """What became of each heartbeat message, by the agent it went to; empty for sent."""

    blamed: bool = False
    """Whether what the writer is about to swallow was recorded."""


class WorkerHalf:
    """What we know of one worker.

    vLLM's main thread, its push writer and its handshake thread all come here; each entry is
    written in one step, so that none of them waits for another.
    """

    drained: int
    """When the writer last drained its messages."""

    gap: int
    """How long after the drain before."""

    registered: Bounded[str, int]
    """When a registration was taken, by the consumer's request."""

    landed: Bounded[str, int]
    """How many ranks the producer has, by request with notifications that were not counted."""

    failed: Bounded[str, bool]
    """The consumer's requests that a failure was logged of."""

    queued: Bounded[str, int]
    """When blocks were taken, by the producer's request."""

    noticed: Bounded[str, int]
    """When a registration was noticed, by the consumer's request."""

    starts: Bounded[str, int]
    """How often a write set out, by the producer's request."""

    writes: Bounded[int, Write]
    """By what tells NIXL's handles apart."""

    senders: dict[int, str]
    """Who sent the registrations of the present drain."""

    asked: Bounded[str, Asked]
    """Handshakes in the queue, by peer engine."""

    exchanging: Bounded[str, Asked]
    """Handshakes at work, by peer engine."""

    attempts: Bounded[str, int]
    """The number of the last handshake, by peer engine."""

    peers: Bounded[str, Peer]
    """By NIXL agent."""

    def __init__(self, probe: Probe) -> None:
        self.probe, self.fuse = probe, probe.fuse
        self.record, self.now = probe.record, probe.now
        self.here = Here()
        self.steps = Steps(probe.now())
        self.tables = Tables(TABLES)
        self.drained = self.gap = 0
        self.registered, self.landed, self.failed = Bounded(), Bounded(), Bounded()
        self.queued, self.noticed, self.starts = Bounded(), Bounded(), Bounded()
        self.writes, self.senders = Bounded(65536), {}
        self.asked, self.exchanging, self.attempts = Bounded(), Bounded(), Bounded()
        self.peers = Bounded()

    def writes_of(self, request: str) -> int:
        """How many of the request's writes are in flight."""
        return sum(one.request == request and not one.landed for one in tuple(self.writes.values()))

    def engine_of(self, agent: str) -> str:
        """The engine of a NIXL agent; empty where we were not told."""
        peer = self.peers.get(agent)
        return "" if peer is None else peer.engine

    def rank_of(self, agent: str) -> int:
        """The rank of a NIXL agent; -1 where we were not told."""
        peer = self.peers.get(agent)
        return -1 if peer is None else peer.rank

    def meet(self, engine: str, agents: Mapping[Any, str], tp_size: int) -> None:
        """Remember whose agents these are, by rank or by pair of pipeline and tensor rank."""
        for key, agent in agents.items():
            rank = key[0] * tp_size + key[1] if isinstance(key, tuple) else key
            self.peers[agent] = Peer(engine, rank)

    def forget_blocks(self, request: str) -> None:
        """A producer's request is over."""
        self.queued.pop(request, None)
        self.starts.pop(request, None)

    def forget_registration(self, request: str) -> None:
        """A consumer's request is over."""
        for known in (self.registered, self.landed, self.failed):
            known.pop(request, None)

    def oldest(self, worker: Any, now: int) -> dict[str, int]:
        """Nanoseconds since the oldest entry of a table came, for those whose entries we date."""
        dated = {
            "blocks": (worker._push_finished_blocks, self.queued),
            "registrations": (worker._pending_d_registrations, self.noticed),
            "receives": (worker._recving_metadata, self.registered),
        }
        # Copied at one stroke, since the writer is at these tables too.
        first = {name: (next(iter(tuple(table)), None), at) for name, (table, at) in dated.items()}
        return {
            name: now - at[key]
            for name, (key, at) in first.items()
            if key is not None and key in at
        }
