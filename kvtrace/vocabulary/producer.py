"""What happens on the producer, in its scheduler and its ranks."""

from kvtrace.model import Role
from kvtrace.vocabulary.event import Event

P = Role.PRODUCER


class PrefillAdmitted(Event, frozen=True, kw_only=True, tag="prefill.admitted"):
    """The producer's scheduler admitted a request whose KV goes to a consumer."""

    role = P
    scheduler = True
    opens = True
    tokens: int = 0
    trace: str = ""
    queued: int = 0
    """Since the producer took the request in, until it was first scheduled."""


class BlocksReady(Event, frozen=True, kw_only=True, tag="blocks.ready"):
    """The producer's request ended; with `held`, its blocks wait to be written."""

    role = P
    scheduler = True
    status: str = ""
    blocks: int = 0
    held: bool = True
    computed: int = 0
    """Tokens."""


class BlocksShipped(Event, frozen=True, kw_only=True, tag="blocks.shipped"):
    """The scheduler handed the blocks to its ranks."""

    role = P
    scheduler = True
    waited: int = 0


class BlocksReleased(Event, frozen=True, kw_only=True, tag="blocks.released"):
    """The producer's scheduler freed the blocks."""

    role = P
    scheduler = True


class BlocksQueued(Event, frozen=True, kw_only=True, tag="blocks.queued"):
    """A producer rank took the blocks from its scheduler."""

    role = P
    opens = True
    blocks: int = 0


class LeaseGranted(Event, frozen=True, kw_only=True, tag="lease.granted"):
    """A producer rank holds the blocks until the lease runs out."""

    role = P
    opens = True
    lease: int = 0
    """What is left of it."""


class RegistrationNoticed(Event, frozen=True, kw_only=True, tag="registration.noticed"):
    """A producer rank's writer drained a registration; it may have arrived long before."""

    role = P
    opens = True
    remote_request: str = ""
    """The consumer's id; the producer learns its own only by the match."""
    consumer: str = ""
    host: str = ""
    port: int = 0
    tp_size: int = 0
    blocks: int = 0
    gap: int = 0
    """Since the notifications were last drained."""
    peer: str = ""
    """The NIXL agent that sent it."""


class MatchMade(Event, frozen=True, kw_only=True, tag="match.made"):
    """Blocks and registration met on a producer rank; the one event that holds both ids."""

    role = P
    remote_request: str = ""
    consumer: str = ""
    exact: bool = False
    """By the whole id, rather than by the base id."""
    candidates: int = 1
    """How many waited under the same base id."""
    first: str = ""
    """Which side waited: `blocks` or `registration`."""
    waited: int = 0


class MatchMissed(Event, frozen=True, kw_only=True, tag="match.missed"):
    """Blocks, or a registration, found no counterpart yet."""

    role = P
    remote_request: str = ""
    looked_for: str = ""
    """`blocks` or `registration`."""
    candidates: int = 0
    """Others that wait on that side."""


class WriteStarted(Event, frozen=True, kw_only=True, tag="write.started"):
    """A producer rank set out to write to the consumer; told once it is known what came of it."""

    role = P
    remote_request: str = ""
    consumer: str = ""
    outcome: str = ""
    """`submitted`, `deferred` (a handshake comes first), `empty` or `raised`."""
    took: int = 0
    """So it set out that long before."""
    error: str = ""
    ordinal: int = 0


class WritePosted(Event, frozen=True, kw_only=True, tag="write.posted"):
    """A producer rank posted its write to one consumer rank."""

    role = P
    consumer: str = ""
    peer_rank: int = 0
    descriptors: int = 0
    blocks: int = 0
    remote_blocks: int = 0
    prepare: int = 0
    post: int = 0
    ordinal: int = 0
    remote_request: str = ""


class WriteFinished(Event, frozen=True, kw_only=True, tag="write.finished"):
    """A producer rank noticed that its write landed."""

    role = P
    peer_rank: int = 0
    size: int = 0
    descriptors: int = 0
    post: int = 0
    """By NIXL's own telemetry."""
    transfer: int = 0
    """By NIXL's own telemetry, from post to landing."""
    polls: int = 0
    ordinal: int = 0


class WriteFailed(Event, frozen=True, kw_only=True, tag="write.failed"):
    """A write could not be posted, ended in an error, or could not be accounted for."""

    role = P
    consumer: str = ""
    peer_rank: int = 0
    stage: str = ""
    """`prepare`, `post`, `transfer` or `telemetry`."""
    error: str = ""
    ordinal: int = 0


class LeaseRenewed(Event, frozen=True, kw_only=True, tag="lease.renewed"):
    """A producer rank took in one heartbeat."""

    role = P
    matched: int = 0
    unmatched: int = 0
    """Ids that it holds no lease for; many in healthy service."""
    example: str = ""
    """One id that did not match."""


class LeaseExpired(Event, frozen=True, kw_only=True, tag="lease.expired"):
    """A producer rank gave up the blocks before they were fetched."""

    role = P
    readers: int = 0
    writes: int = 0
    """Writes in flight at that moment."""


class SendReported(Event, frozen=True, kw_only=True, tag="send.reported"):
    """A producer rank told its scheduler that it no longer needs the blocks."""

    role = P
