"""Every cause that a transfer can wait, fail or be slow for, by the name of its page."""

from enum import StrEnum

import msgspec


class Kind(StrEnum):
    """What a cause does to a transfer or to an engine."""

    STALL = "stall"
    """The transfer waits, and will not go on by itself."""

    FAILURE = "failure"
    """The transfer, or the engine, ended with an error."""

    CORRUPTION = "corruption"
    """The consumer may have taken wrong values for the prompt's."""

    SLOW = "slow"
    """The transfer goes on, later than it could."""

    LEAK = "leak"
    """Blocks or memory are held for nobody."""


class Cause(StrEnum):
    """The named reason; its value names the page in docs/causes and travels in JSON."""

    # What keeps D from telling P where to write.
    SIDE_CHANNEL_UNREACHABLE = "side-channel-unreachable"
    WRONG_ENGINE_ANSWERED = "wrong-engine-answered"
    LAYOUTS_DIFFER = "layouts-differ"
    ENGINES_NOT_COMPATIBLE = "engines-not-compatible"
    PEER_RESTARTED = "peer-restarted"
    LISTENER_DIED = "listener-died"
    REGISTRATION_NOT_SENT = "registration-not-sent"
    REGISTRATION_NEVER_CAME = "registration-never-came"
    REGISTRATION_LOST = "registration-lost"
    RANKS_TOLD_WRONG = "ranks-told-wrong"
    PARAMETERS_MISSING = "parameters-missing"

    # What keeps P's blocks from being there when D asks.
    PREFILL_FAILED = "prefill-failed"
    PREFILL_RAN_ELSEWHERE = "prefill-ran-elsewhere"
    PREFILL_NEVER_CAME = "prefill-never-came"
    PREFILL_NEVER_FINISHES = "prefill-never-finishes"
    LEGS_DIFFER_IN_ID = "legs-differ-in-id"
    LEASE_RAN_OUT = "lease-ran-out"
    LEASE_NEVER_RENEWED = "lease-never-renewed"
    TWO_REQUESTS_ONE_ID = "two-requests-one-id"
    PROMPTS_DIFFER = "prompts-differ"

    # What keeps the write from landing.
    PRODUCER_CANNOT_REACH_CONSUMER = "producer-cannot-reach-consumer"
    WRITE_NOT_POSTED = "write-not-posted"
    WRITE_FAILED = "write-failed"
    WRITE_NEVER_LANDS = "write-never-lands"
    RANK_NEVER_WROTE = "rank-never-wrote"
    TELEMETRY_RAISED = "telemetry-raised"
    BATCH_LOST = "batch-lost"
    LEASE_EXPIRED_DURING_WRITE = "lease-expired-during-write"
    WRITE_AFTER_LEASE = "write-after-lease"
    BLOCKS_REUSED = "blocks-reused"
    PEER_EVICTED = "peer-evicted"

    # What keeps D from going on.
    COMPLETION_LOST = "completion-lost"
    CONSUMER_HAS_NO_BLOCKS = "consumer-has-no-blocks"
    LOADED_TWICE = "loaded-twice"
    LOAD_FAILED_BY_POLICY = "load-failed-by-policy"

    # What ends a process.
    PRODUCER_DIED = "producer-died"
    CONSUMER_DIED = "consumer-died"
    PRODUCER_SHUT_DOWN = "producer-shut-down"
    ENGINE_FROZEN = "engine-frozen"

    # What holds blocks for nobody.
    ABORTED_BLOCKS_HELD = "aborted-blocks-held"
    REJECTED_BEFORE_ASKING = "rejected-before-asking"
    FULL_HIT_HOLDS_BLOCKS = "full-hit-holds-blocks"
    SIBLINGS_NEVER_FETCHED = "siblings-never-fetched"
    REGISTRATIONS_PILE_UP = "registrations-pile-up"
    WATCHDOG_ONLY_LOGS = "watchdog-only-logs"
    SEND_NEVER_REPORTED = "send-never-reported"
    LEASE_NEVER_REAPED = "lease-never-reaped"
    DEAD_PEERS_KEPT = "dead-peers-kept"

    # What makes it slow.
    KV_GOES_OVER_TCP = "kv-goes-over-tcp"
    WRONG_NIC = "wrong-nic"
    TOO_MANY_DESCRIPTORS = "too-many-descriptors"
    WAITS_FOR_ENGINE_STEPS = "waits-for-engine-steps"
    CONSUMER_PREFILLED_ITSELF = "consumer-prefilled-itself"
    LEGS_IN_SEQUENCE = "legs-in-sequence"
    FIRST_HANDSHAKE = "first-handshake"
    HANDSHAKES_QUEUE = "handshakes-queue"
    PREFILL_DECODED_ON = "prefill-decoded-on"
    WRITER_STARVED = "writer-starved"
    ONE_CORE_FOR_KV = "one-core-for-kv"
    NOTIFICATIONS_WAIT_FOR_STEPS = "notifications-wait-for-steps"
    HOST_BUFFER = "host-buffer"
    PARKED_ENGINES_SPIN = "parked-engines-spin"
    SPECULATION_DIFFERS = "speculation-differs"
    SLOW = "slow"

    UNEXPLAINED = "unexplained"
    """It has waited too long, for no reason that we know."""


class About(msgspec.Struct, frozen=True):
    """What is true of a cause wherever it is named."""

    label: str
    """At most 24 characters: what happened."""

    kind: Kind
    modes: tuple[str, ...] = ()
    """Of the catalogue of failure modes."""


ABOUT: dict[Cause, About] = {
    Cause.SIDE_CHANNEL_UNREACHABLE: About("side channel unreachable", Kind.STALL, ("FM02",)),
    Cause.WRONG_ENGINE_ANSWERED: About("wrong engine answered", Kind.FAILURE, ("FM03",)),
    Cause.LAYOUTS_DIFFER: About("layouts differ", Kind.FAILURE, ("FM12",)),
    Cause.ENGINES_NOT_COMPATIBLE: About("engines not compatible", Kind.FAILURE, ("FM17",)),
    Cause.PEER_RESTARTED: About("peer restarted", Kind.STALL, ("FM10",)),
    Cause.LISTENER_DIED: About("listener died", Kind.STALL, ("FM31",)),
    Cause.REGISTRATION_NOT_SENT: About("registration not sent", Kind.STALL, ("FM47",)),
    Cause.REGISTRATION_NEVER_CAME: About("registration never came", Kind.STALL),
    Cause.REGISTRATION_LOST: About("registration lost", Kind.STALL, ("FM55",)),
    Cause.RANKS_TOLD_WRONG: About("ranks told wrong", Kind.CORRUPTION, ("FM46",)),
    Cause.PARAMETERS_MISSING: About("parameters missing", Kind.FAILURE, ("FM26",)),
    Cause.PREFILL_FAILED: About("prefill failed", Kind.STALL, ("FM05",)),
    Cause.PREFILL_RAN_ELSEWHERE: About("prefill ran elsewhere", Kind.STALL, ("FM25",)),
    Cause.PREFILL_NEVER_CAME: About("prefill never came", Kind.STALL, ("FM05",)),
    Cause.PREFILL_NEVER_FINISHES: About("prefill never finishes", Kind.STALL),
    Cause.LEGS_DIFFER_IN_ID: About("legs differ in id", Kind.STALL, ("FM23",)),
    Cause.LEASE_RAN_OUT: About("lease ran out", Kind.STALL, ("FM06",)),
    Cause.LEASE_NEVER_RENEWED: About("lease is never renewed", Kind.STALL, ("FM07",)),
    Cause.TWO_REQUESTS_ONE_ID: About("two requests, one id", Kind.CORRUPTION, ("FM24",)),
    Cause.PROMPTS_DIFFER: About("prompts differ", Kind.CORRUPTION, ("FM27",)),
    Cause.PRODUCER_CANNOT_REACH_CONSUMER: About("P cannot reach D", Kind.STALL, ("FM22",)),
    Cause.WRITE_NOT_POSTED: About("write not posted", Kind.STALL, ("FM18",)),
    Cause.WRITE_FAILED: About("write failed", Kind.STALL, ("FM19",)),
    Cause.WRITE_NEVER_LANDS: About("write never lands", Kind.STALL, ("FM20",)),
    Cause.RANK_NEVER_WROTE: About("a rank never wrote", Kind.STALL, ("FM21",)),
    Cause.TELEMETRY_RAISED: About("telemetry raised", Kind.LEAK, ("FM16",)),
    Cause.BATCH_LOST: About("message batch lost", Kind.STALL, ("FM41",)),
    Cause.LEASE_EXPIRED_DURING_WRITE: About("lease ran out in a write", Kind.CORRUPTION, ("FM44",)),
    Cause.WRITE_AFTER_LEASE: About("write after the lease", Kind.CORRUPTION, ("FM45",)),
    Cause.BLOCKS_REUSED: About("blocks reused too early", Kind.CORRUPTION, ("FM54",)),
    Cause.PEER_EVICTED: About("peer evicted in a write", Kind.STALL, ("FM51",)),
    Cause.COMPLETION_LOST: About("completion lost", Kind.STALL, ("FM55",)),
    Cause.CONSUMER_HAS_NO_BLOCKS: About("D has no free blocks", Kind.STALL, ("FM33",)),
    Cause.LOADED_TWICE: About("asked for KV twice", Kind.STALL, ("FM58",)),
    Cause.LOAD_FAILED_BY_POLICY: About("load failed", Kind.FAILURE, ("FM32",)),
    Cause.PRODUCER_DIED: About("P died", Kind.STALL, ("FM19", "FM20")),
    Cause.CONSUMER_DIED: About("D died", Kind.FAILURE, ("FM19", "FM20")),
    Cause.PRODUCER_SHUT_DOWN: About("P was shut down", Kind.STALL, ("FM40",)),
    Cause.ENGINE_FROZEN: About("engine frozen", Kind.STALL, ("FM20",)),
    Cause.ABORTED_BLOCKS_HELD: About("aborted, blocks held", Kind.LEAK, ("FM08",)),
    Cause.REJECTED_BEFORE_ASKING: About("D gave up before asking", Kind.LEAK, ("FM09",)),
    Cause.FULL_HIT_HOLDS_BLOCKS: About("full hit holds blocks", Kind.LEAK, ("FM34",)),
    Cause.SIBLINGS_NEVER_FETCHED: About("siblings never fetched", Kind.LEAK, ("FM35",)),
    Cause.REGISTRATIONS_PILE_UP: About("registrations pile up", Kind.LEAK, ("FM42",)),
    Cause.WATCHDOG_ONLY_LOGS: About("D’s watchdog only logged", Kind.STALL, ("FM43",)),
    Cause.SEND_NEVER_REPORTED: About("send never reported", Kind.LEAK, ("FM52",)),
    Cause.LEASE_NEVER_REAPED: About("lease never reaped", Kind.LEAK, ("FM53",)),
    Cause.DEAD_PEERS_KEPT: About("dead peers are kept", Kind.LEAK, ("FM11",)),
    Cause.KV_GOES_OVER_TCP: About("KV goes over TCP", Kind.SLOW, ("FM01",)),
    Cause.WRONG_NIC: About("some ranks write slowly", Kind.SLOW, ("FM39",)),
    Cause.TOO_MANY_DESCRIPTORS: About("too many descriptors", Kind.SLOW, ("FM14",)),
    Cause.WAITS_FOR_ENGINE_STEPS: About("waits for engine steps", Kind.SLOW, ("FM13",)),
    Cause.CONSUMER_PREFILLED_ITSELF: About("D prefilled by itself", Kind.SLOW, ("FM15",)),
    Cause.LEGS_IN_SEQUENCE: About("legs sent in sequence", Kind.SLOW, ("FM28",)),
    Cause.FIRST_HANDSHAKE: About("first handshake", Kind.SLOW, ("FM29",)),
    Cause.HANDSHAKES_QUEUE: About("handshakes queue", Kind.SLOW, ("FM30",)),
    Cause.PREFILL_DECODED_ON: About("P decoded on", Kind.SLOW, ("FM60",)),
    Cause.WRITER_STARVED: About("writer starved", Kind.SLOW, ("FM48",)),
    Cause.ONE_CORE_FOR_KV: About("one core for all KV work", Kind.SLOW, ("FM49",)),
    Cause.NOTIFICATIONS_WAIT_FOR_STEPS: About("notified only at steps", Kind.SLOW, ("FM50",)),
    Cause.HOST_BUFFER: About("copied through the host", Kind.SLOW, ("FM59",)),
    Cause.PARKED_ENGINES_SPIN: About("parked engine spins", Kind.SLOW, ("FM61",)),
    Cause.SPECULATION_DIFFERS: About("speculation differs", Kind.CORRUPTION, ("FM57",)),
    Cause.SLOW: About("slow", Kind.SLOW),
    Cause.UNEXPLAINED: About("unexplained", Kind.STALL),
}
