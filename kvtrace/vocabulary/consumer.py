"""What happens on the consumer, in its scheduler and its ranks."""

from kvtrace.model import Role
from kvtrace.vocabulary.event import Event

D = Role.CONSUMER


class RequestAdmitted(Event, frozen=True, kw_only=True, tag="request.admitted"):
    """The consumer's scheduler learned of a request whose KV comes from a producer."""

    role = D
    scheduler = True
    opens = True
    producer: str = ""
    remote_request: str = ""
    """The producer's id as the router told it; often the router's own."""
    host: str = ""
    port: int = 0
    tp_size: int = 0
    """The producer's, as the router told it."""
    tokens: int = 0
    """Prompt length."""
    heartbeat: bool = True
    """Whether heartbeats will be sent for it; not where a remote field is missing."""
    missing: tuple[str, ...] = ()
    """Remote fields that the router left out."""
    trace: str = ""
    """The W3C traceparent, where the engine has it."""


class LoadDecided(Event, frozen=True, kw_only=True, tag="load.decided"):
    """The consumer decided how many tokens it waits for."""

    role = D
    scheduler = True
    tokens: int = 0
    """To come from the producer; 0 means that the consumer prefills by itself."""
    computed: int = 0
    """Already in the consumer's cache."""
    asynchronous: bool = True


class RegistrationStaged(Event, frozen=True, kw_only=True, tag="registration.staged"):
    """The consumer allocated blocks and staged the registration."""

    role = D
    scheduler = True
    producer: str = ""
    blocks: int = 0
    tokens: int = 0
    host: str = ""
    port: int = 0
    ordinal: int = 0


class RegistrationSkipped(Event, frozen=True, kw_only=True, tag="registration.skipped"):
    """The consumer allocated, and found nothing to register."""

    role = D
    scheduler = True
    reason: str = ""
    """`full hit` or `no blocks`."""


class RegistrationShipped(Event, frozen=True, kw_only=True, tag="registration.shipped"):
    """The scheduler handed the registration to its ranks."""

    role = D
    scheduler = True
    ordinal: int = 0
    waited: int = 0
    """Since it was staged."""


class RegistrationExpired(Event, frozen=True, kw_only=True, tag="registration.expired"):
    """The consumer's watchdog dropped the registration; the request goes on waiting."""

    role = D
    scheduler = True
    timeout: int = 0


class ReceiveFinished(Event, frozen=True, kw_only=True, tag="receive.finished"):
    """The consumer's scheduler heard from every rank that the KV is there."""

    role = D
    scheduler = True


class ReceiveFailed(Event, frozen=True, kw_only=True, tag="receive.failed"):
    """The consumer's scheduler heard from a rank that the KV will not come."""

    role = D
    scheduler = True


class RequestResumed(Event, frozen=True, kw_only=True, tag="request.resumed"):
    """The waiting request was scheduled again: the transfer is over for TTFT."""

    role = D
    scheduler = True
    failed: bool = False


class RequestFinished(Event, frozen=True, kw_only=True, tag="request.finished"):
    """The consumer's request ended."""

    role = D
    scheduler = True
    status: str = ""
    parked: bool = False
    """Whether it still waited for its KV, so that its blocks stay held."""


class RegistrationQueued(Event, frozen=True, kw_only=True, tag="registration.queued"):
    """A consumer rank took the registration from its scheduler."""

    role = D
    opens = True
    producer: str = ""
    ordinal: int = 0


class RegistrationSent(Event, frozen=True, kw_only=True, tag="registration.sent"):
    """A consumer rank sent the registration to one producer rank."""

    role = D
    producer: str = ""
    peer_rank: int = 0
    size: int = 0
    took: int = 0
    ordinal: int = 0


class RegistrationSendFailed(Event, frozen=True, kw_only=True, tag="registration.send_failed"):
    """A consumer rank could not send the registration to one producer rank."""

    role = D
    producer: str = ""
    peer_rank: int = 0
    error: str = ""
    ordinal: int = 0


class HeartbeatSent(Event, frozen=True, kw_only=True, tag="heartbeat.sent"):
    """A consumer rank told a producer which requests it still waits for."""

    role = D
    producer: str = ""
    requests: int = 0
    failed: int = 0
    """Messages that could not be sent."""
    error: str = ""


class NotificationNoticed(Event, frozen=True, kw_only=True, tag="notification.noticed"):
    """A consumer rank's writer drained a producer rank's word that its write landed."""

    role = D
    peer: str = ""
    """The NIXL agent that sent it."""
    peer_rank: int = -1
    """The producer's rank; -1 where the agent is not known."""
    gap: int = 0
    """Since the notifications were last drained."""
    ordinal: int = 0


class CompletionCounted(Event, frozen=True, kw_only=True, tag="completion.counted"):
    """A consumer rank counted one notification towards the number it needs."""

    role = D
    count: int = 0
    needed: int = 0


class ReceiveReported(Event, frozen=True, kw_only=True, tag="receive.reported"):
    """A consumer rank told its scheduler that its share is there, or will not come."""

    role = D
    failed: bool = False
