"""What happens on either side: handshakes, failures, and the life of a whole process."""

import msgspec

from kvtrace.vocabulary.event import Event


class HandshakeStarted(Event, frozen=True, kw_only=True, tag="handshake.started"):
    """A rank began the exchange that lets it reach a peer engine."""

    side: str = ""
    """P or D: on whose half."""
    peer: str = ""
    host: str = ""
    port: int = 0
    notify_only: bool = False
    waited: int = 0
    """In the queue of the handshake thread."""
    ordinal: int = 0


class HandshakeFinished(Event, frozen=True, kw_only=True, tag="handshake.finished"):
    """The peer answered, and can be reached."""

    side: str = ""
    peer: str = ""
    host: str = ""
    port: int = 0
    took: int = 0
    round_trip: int = 0
    """0 where it could not be measured."""
    clock_offset: int | None = None
    """The peer's monotonic clock less ours, by vLLM's own exchange; since 0.26."""
    ranks: int = 0
    ordinal: int = 0


class HandshakeFailed(Event, frozen=True, kw_only=True, tag="handshake.failed"):
    """The peer did not answer, or not as it should."""

    side: str = ""
    peer: str = ""
    host: str = ""
    port: int = 0
    took: int = 0
    error: str = ""
    error_type: str = ""
    ordinal: int = 0


class ProcessStarted(Event, frozen=True, kw_only=True, tag="process.started"):
    """What is true of an engine's process for as long as it runs."""

    engine: str = ""
    rank: int = -1
    """-1 in the scheduler."""
    kv_role: str = ""
    """`kv_producer`, `kv_consumer` or `kv_both`."""
    mode: str = "push"
    tp_size: int = 1
    pp_size: int = 1
    dp_rank: int = 0
    block_size: int = 0
    blocks: int = 0
    regions: int = 0
    lease: int = 0
    registration_timeout: int = 0
    host: str = ""
    """Of the side channel, as told to peers."""
    port: int = 0
    agent: str = ""
    """The NIXL agent's name."""
    model: str = ""
    vllm_version: str = ""
    nixl_version: str = ""
    kvtrace_version: str = ""
    facts: dict[str, str] = msgspec.field(default_factory=dict)
    """Whatever else is worth knowing: backends, UCX settings, hash factors, CPU affinity."""


class ProcessStopped(Event, frozen=True, kw_only=True, tag="process.stopped"):
    """The process said goodbye."""

    reason: str = ""


class FailureLogged(Event, frozen=True, kw_only=True, tag="failure.logged"):
    """vLLM logged a failure of a transfer by its name."""

    failure: str = ""
    """vLLM's failure_type."""
    message: str = ""
    error: str = ""
    error_type: str = ""
    peer: str = ""


class WriterFailed(Event, frozen=True, kw_only=True, tag="writer.failed"):
    """The writer thread swallowed an exception; what it was at is lost."""

    seam: str = ""
    error: str = ""
    error_type: str = ""


class ListenerStarted(Event, frozen=True, kw_only=True, tag="listener.started"):
    """The scheduler answers handshakes."""

    scheduler = True
    host: str = ""
    port: int = 0


class ListenerDied(Event, frozen=True, kw_only=True, tag="listener.died"):
    """The scheduler no longer answers handshakes."""

    scheduler = True
    host: str = ""
    port: int = 0
    error: str = ""


class StepSampled(Event, frozen=True, kw_only=True, tag="step.sampled"):
    """How a process' steps and its writer's loops went since the last sample."""

    window: int = 0
    steps: int = 0
    forwards: int = 0
    """Steps that ran the model."""
    longest: int = 0
    total: int = 0
    loops: int = 0
    """Of the writer thread."""
    longest_gap: int = 0
    """Between two of them."""
    polls: int = 0
    """Of NIXL's transfer states."""


class TablesSampled(Event, frozen=True, kw_only=True, tag="tables.sampled"):
    """How many entries the connector's tables hold, and how old the oldest is."""

    sizes: dict[str, int] = msgspec.field(default_factory=dict)
    oldest: dict[str, int] = msgspec.field(default_factory=dict)
    """Nanoseconds; only for tables whose entries carry a time."""


class TracingStopped(Event, frozen=True, kw_only=True, tag="tracing.stopped"):
    """A probe failed and this process records nothing more; transfers are not affected."""

    error: str = ""
