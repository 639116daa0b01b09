"""Builders with defaults, one for each event, so that a test shows only what it is about.

P is called `P0`, D `D0`; the two engines call one request `r1-aaaaaaaa` and `r1-bbbbbbbb`.
"""

from functools import partial

from kvtrace.events import (
    AnyEvent,
    BlocksQueued,
    BlocksReady,
    BlocksReleased,
    BlocksShipped,
    CompletionCounted,
    FailureLogged,
    HandshakeFailed,
    HandshakeFinished,
    HandshakeStarted,
    HeartbeatSent,
    LeaseExpired,
    LeaseGranted,
    LeaseRenewed,
    LegAnswered,
    LegSent,
    ListenerDied,
    ListenerStarted,
    LoadDecided,
    MatchMade,
    MatchMissed,
    NotificationNoticed,
    PrefillAdmitted,
    ProcessStarted,
    ProcessStopped,
    ReceiveFailed,
    ReceiveFinished,
    ReceiveReported,
    RegistrationExpired,
    RegistrationNoticed,
    RegistrationQueued,
    RegistrationSendFailed,
    RegistrationSent,
    RegistrationShipped,
    RegistrationSkipped,
    RegistrationStaged,
    RequestAdmitted,
    RequestFinished,
    RequestResumed,
    SendReported,
    StepSampled,
    TablesSampled,
    TracingStopped,
    WriteFailed,
    WriteFinished,
    WritePosted,
    WriterFailed,
    WriteStarted,
)

P_REQUEST = "r1-aaaaaaaa"
D_REQUEST = "r1-bbbbbbbb"
PRODUCER = "P0"
CONSUMER = "D0"

SAMPLES: tuple[AnyEvent, ...] = (
    RequestAdmitted(
        request=D_REQUEST,
        producer=PRODUCER,
        remote_request="r1",
        host="10.0.0.1",
        port=5600,
        tp_size=1,
        tokens=100,
        heartbeat=False,
        missing=("remote_host",),
        trace="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    ),
    LoadDecided(request=D_REQUEST, tokens=99, computed=1, asynchronous=False),
    RegistrationStaged(
        request=D_REQUEST, producer=PRODUCER, blocks=7, tokens=99, host="10.0.0.1", port=5600
    ),
    RegistrationSkipped(request=D_REQUEST, reason="full hit"),
    RegistrationShipped(request=D_REQUEST, waited=5),
    RegistrationExpired(request=D_REQUEST, timeout=480_000_000_000),
    ReceiveFinished(request=D_REQUEST),
    ReceiveFailed(request=D_REQUEST),
    RequestResumed(request=D_REQUEST, failed=True),
    RequestFinished(request=D_REQUEST, status="length", parked=True),
    RegistrationQueued(request=D_REQUEST, producer=PRODUCER, ordinal=1),
    RegistrationSent(
        request=D_REQUEST, producer=PRODUCER, peer_rank=1, size=300, took=20, ordinal=2
    ),
    RegistrationSendFailed(request=D_REQUEST, producer=PRODUCER, peer_rank=1, error="gone"),
    HeartbeatSent(producer=PRODUCER, requests=3, failed=1, error="gone"),
    NotificationNoticed(request=D_REQUEST, peer="agent", peer_rank=0, gap=7, ordinal=1),
    CompletionCounted(request=D_REQUEST, count=1, needed=2),
    ReceiveReported(request=D_REQUEST, failed=True),
    HandshakeStarted(
        request=D_REQUEST, side="D", peer=PRODUCER, host="10.0.0.1", port=5600, waited=3
    ),
    HandshakeFinished(side="D", peer=PRODUCER, took=9, round_trip=4, clock_offset=-12, ranks=2),
    HandshakeFailed(side="P", peer=CONSUMER, took=9, error="no answer", error_type="Again"),
    PrefillAdmitted(request=P_REQUEST, tokens=100, trace="00-ab-cd-01"),
    BlocksReady(request=P_REQUEST, status="length", blocks=7, held=False, computed=100),
    BlocksShipped(request=P_REQUEST, waited=2),
    BlocksReleased(request=P_REQUEST),
    BlocksQueued(request=P_REQUEST, blocks=7),
    LeaseGranted(request=P_REQUEST, lease=30_000_000_000),
    RegistrationNoticed(
        remote_request=D_REQUEST,
        consumer=CONSUMER,
        host="10.0.0.2",
        port=5601,
        tp_size=2,
        blocks=7,
        gap=3,
        peer="agent",
    ),
    MatchMade(
        request=P_REQUEST,
        remote_request=D_REQUEST,
        consumer=CONSUMER,
        exact=True,
        candidates=2,
        first="blocks",
        waited=4,
    ),
    MatchMissed(request=P_REQUEST, looked_for="registration", candidates=3),
    WriteStarted(
        request=P_REQUEST,
        remote_request=D_REQUEST,
        consumer=CONSUMER,
        outcome="raised",
        took=8,
        error="no room",
        ordinal=1,
    ),
    WritePosted(
        request=P_REQUEST,
        consumer=CONSUMER,
        peer_rank=1,
        descriptors=14,
        blocks=7,
        remote_blocks=7,
        prepare=1,
        post=2,
        remote_request=D_REQUEST,
    ),
    WriteFinished(
        request=P_REQUEST, peer_rank=1, size=4096, descriptors=14, post=1, transfer=2, polls=3
    ),
    WriteFailed(
        request=P_REQUEST, consumer=CONSUMER, peer_rank=1, stage="post", error="bad handle"
    ),
    LeaseRenewed(matched=1, unmatched=2, example="r1"),
    LeaseExpired(request=P_REQUEST, readers=1, writes=1),
    SendReported(request=P_REQUEST),
    ProcessStarted(
        engine=PRODUCER,
        rank=0,
        kv_role="kv_producer",
        tp_size=2,
        lease=30_000_000_000,
        host="10.0.0.1",
        facts={"UCX_TLS": "tcp"},
    ),
    ProcessStopped(reason="shutdown"),
    FailureLogged(failure="handshake_failed", message="x", error="y", error_type="Again"),
    WriterFailed(seam="_do_start_push_kv", error="x", error_type="KeyError"),
    ListenerStarted(host="10.0.0.1", port=5600),
    ListenerDied(host="10.0.0.1", port=5600, error="address in use"),
    StepSampled(window=10**9, steps=9, forwards=3, longest=5, total=7, loops=4, longest_gap=2),
    TablesSampled(sizes={"sending": 3}, oldest={"sending": 9}),
    TracingStopped(error="KeyError"),
    LegSent(role_sent="P", url="http://10.0.0.1:8000", engine=PRODUCER),
    LegAnswered(role_sent="P", status=200, error=""),
)
"""One of each kind, with a value of its own in every field that can have one."""

request_admitted = partial(
    RequestAdmitted, request=D_REQUEST, producer=PRODUCER, remote_request="r1", tp_size=1
)
load_decided = partial(LoadDecided, request=D_REQUEST, tokens=100)
registration_staged = partial(RegistrationStaged, request=D_REQUEST, producer=PRODUCER, blocks=7)
registration_skipped = partial(RegistrationSkipped, request=D_REQUEST, reason="full hit")
registration_shipped = partial(RegistrationShipped, request=D_REQUEST)
registration_expired = partial(RegistrationExpired, request=D_REQUEST)
registration_queued = partial(RegistrationQueued, request=D_REQUEST, producer=PRODUCER)
registration_sent = partial(RegistrationSent, request=D_REQUEST, producer=PRODUCER)
registration_send_failed = partial(RegistrationSendFailed, request=D_REQUEST, producer=PRODUCER)
heartbeat_sent = partial(HeartbeatSent, producer=PRODUCER, requests=1)
notification_noticed = partial(NotificationNoticed, request=D_REQUEST, peer_rank=0)
completion_counted = partial(CompletionCounted, request=D_REQUEST, count=1, needed=1)
receive_reported = partial(ReceiveReported, request=D_REQUEST)
receive_finished = partial(ReceiveFinished, request=D_REQUEST)
receive_failed = partial(ReceiveFailed, request=D_REQUEST)
request_resumed = partial(RequestResumed, request=D_REQUEST)
request_finished = partial(RequestFinished, request=D_REQUEST, status="length")
handshake_started = partial(HandshakeStarted, request=D_REQUEST, side="D", peer=PRODUCER)
handshake_finished = partial(HandshakeFinished, request=D_REQUEST, side="D", peer=PRODUCER)
handshake_failed = partial(HandshakeFailed, request=D_REQUEST, side="D", peer=PRODUCER)
prefill_admitted = partial(PrefillAdmitted, request=P_REQUEST, tokens=100)
blocks_ready = partial(BlocksReady, request=P_REQUEST, status="length", blocks=7)
blocks_shipped = partial(BlocksShipped, request=P_REQUEST)
blocks_released = partial(BlocksReleased, request=P_REQUEST)
blocks_queued = partial(BlocksQueued, request=P_REQUEST, blocks=7)
lease_granted = partial(LeaseGranted, request=P_REQUEST, lease=30_000_000_000)
registration_noticed = partial(RegistrationNoticed, remote_request=D_REQUEST, consumer=CONSUMER)
match_made = partial(
    MatchMade, request=P_REQUEST, remote_request=D_REQUEST, consumer=CONSUMER, first="blocks"
)
match_missed = partial(MatchMissed, request=P_REQUEST, looked_for="registration")
write_started = partial(
    WriteStarted,
    request=P_REQUEST,
    remote_request=D_REQUEST,
    consumer=CONSUMER,
    outcome="submitted",
)
write_posted = partial(
    WritePosted, request=P_REQUEST, remote_request=D_REQUEST, consumer=CONSUMER, blocks=7
)
write_finished = partial(WriteFinished, request=P_REQUEST, size=4096)
write_failed = partial(WriteFailed, request=P_REQUEST, consumer=CONSUMER, stage="post")
lease_renewed = partial(LeaseRenewed, matched=1)
lease_expired = partial(LeaseExpired, request=P_REQUEST)
send_reported = partial(SendReported, request=P_REQUEST)
process_started = partial(ProcessStarted, lease=30_000_000_000)
process_stopped = partial(ProcessStopped, reason="shutdown")
failure_logged = partial(FailureLogged, failure="handshake_failed")
writer_failed = partial(WriterFailed, seam="_do_start_push_kv")
listener_started = partial(ListenerStarted, port=5600)
listener_died = partial(ListenerDied, port=5600)
step_sampled = partial(StepSampled, window=10**9, steps=10)
tables_sampled = partial(TablesSampled, sizes={"sending": 1})
tracing_stopped = partial(TracingStopped, error="KeyError")
leg_sent = partial(LegSent, role_sent="P")
leg_answered = partial(LegAnswered, role_sent="P", status=200)

CONSUMER_FIRST: tuple[AnyEvent, ...] = (
    request_admitted(),
    load_decided(),
    registration_staged(),
    registration_shipped(),
    registration_queued(),
    registration_sent(),
)
"""A consumer's half until its registration is on its way."""

PRODUCER_FIRST: tuple[AnyEvent, ...] = (
    prefill_admitted(),
    blocks_ready(),
    blocks_shipped(),
    blocks_queued(),
    lease_granted(),
)
"""A producer's half until its blocks wait to be written."""

WRITING: tuple[AnyEvent, ...] = (
    registration_noticed(),
    match_made(),
    write_posted(),
    write_started(),
)

LANDING: tuple[AnyEvent, ...] = (
    notification_noticed(),
    write_finished(),
    send_reported(),
    blocks_released(),
    completion_counted(),
    receive_reported(),
    receive_finished(),
    request_resumed(),
)

WHOLE = CONSUMER_FIRST + PRODUCER_FIRST + WRITING + LANDING
"""A healthy one-to-one transfer from its first event to its last."""
