"""Snapshots made by the real monitor from scripts of what happens to transfers."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count

import msgspec

from kvtrace.events import (
    AnyEvent,
    BlocksQueued,
    BlocksReady,
    BlocksReleased,
    CompletionCounted,
    HandshakeFailed,
    HandshakeFinished,
    HandshakeStarted,
    LeaseGranted,
    MatchMade,
    NotificationNoticed,
    PrefillAdmitted,
    ProcessStarted,
    ReceiveFinished,
    ReceiveReported,
    RegistrationNoticed,
    RegistrationQueued,
    RegistrationSent,
    RegistrationShipped,
    RegistrationStaged,
    RequestAdmitted,
    RequestResumed,
    SendReported,
    StepSampled,
    WriteFinished,
    WritePosted,
    WriteStarted,
)
from kvtrace.model import SCHEDULER, Place, Role
from kvtrace.moments import Moment, News, Record
from kvtrace.monitor import watch
from kvtrace.snapshot import Snapshot

US, MS, S = 1_000, 1_000_000, 1_000_000_000
START = 1_000 * S
WALL = 1_767_276_157 * S
"""14:02:37 on the first of January 2026, UTC."""

BOOT = "boot-1"
NEVER = 10**18


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """One transfer's life: when each of its phases ends, in nanoseconds since it began."""

    name: str
    producer: str = "P0"
    consumer: str = "D0"
    began: int = START
    registered: int = 6_800 * US
    ready: int = 410 * MS
    written: int = 422 * MS
    ended: int = 431 * MS
    ranks: int = 1
    size: int = 38_200_000
    broken: int | None = None
    """The producer's rank that cannot reach the consumer."""

    @property
    def met(self) -> int:
        """When blocks and registration meet."""
        return max(self.registered, self.ready)

    @property
    def landed(self) -> int:
        """When the writes land, but for a broken rank's."""
        if self.broken is not None:
            return self.met + 12 * MS
        return max(self.written, self.met)

    @property
    def over(self) -> int:
        """When the consumer goes on."""
        return NEVER if self.broken is not None else max(self.ended, self.landed)


Step = tuple[int, Role, int, AnyEvent]


def steps(script: Script) -> list[Step]:
    """All that happens to the transfer, with when, on which side and at which rank."""
    p, d = Role.PRODUCER, Role.CONSUMER
    local, remote = f"{script.name}-aaaaaaaa", f"{script.name}-bbbbbbbb"
    told: list[Step] = [
        (0, d, SCHEDULER, RequestAdmitted(request=remote, producer=script.producer, tokens=8192)),
        (400 * US, p, SCHEDULER, PrefillAdmitted(request=local, tokens=8192)),
        (1 * MS, d, SCHEDULER, RegistrationStaged(request=remote, blocks=512, tokens=8192)),
        (2 * MS, d, SCHEDULER, RegistrationShipped(request=remote, waited=1 * MS)),
        (script.ready - 2 * MS, p, SCHEDULER, BlocksReady(request=local, blocks=512)),
        (script.over - 1 * MS, d, SCHEDULER, ReceiveFinished(request=remote)),
        (script.over, d, SCHEDULER, RequestResumed(request=remote)),
        (script.over + 1 * MS, p, SCHEDULER, BlocksReleased(request=local)),
    ]
    for rank in range(script.ranks):
        told += _consumer_rank(script, rank, remote) + _producer_rank(script, rank, local, remote)
    return sorted(told, key=lambda step: step[0])


def _consumer_rank(script: Script, rank: int, request: str) -> list[Step]:
    d, late = Role.CONSUMER, rank * 300 * US
    sent = RegistrationSent(
        request=request, producer=script.producer, peer_rank=rank, size=900, took=80 * US
    )
    heard = script.landed + 4 * MS if script.ended < NEVER and rank != script.broken else NEVER
    return [
        (2_500 * US + late, d, rank, RegistrationQueued(request=request)),
        (script.registered - 3_700 * US + late, d, rank, sent),
        (heard, d, rank, NotificationNoticed(request=request, peer_rank=rank)),
        (heard + 50 * US, d, rank, CompletionCounted(request=request, count=1, needed=1)),
        (heard + 1 * MS, d, rank, ReceiveReported(request=request)),
    ]


def _producer_rank(script: Script, rank: int, request: str, remote: str) -> list[Step]:
    p, ready, met = Role.PRODUCER, script.ready, script.met
    noticed = RegistrationNoticed(remote_request=remote, consumer=script.consumer)
    match = MatchMade(request=request, remote_request=remote, consumer=script.consumer)
    told: list[Step] = [
        (script.registered, p, rank, noticed),
        (ready - 1 * MS, p, rank, BlocksQueued(request=request, blocks=512)),
        (ready - 1 * MS + 5_000, p, rank, LeaseGranted(request=request, lease=30 * S)),
        (met, p, rank, match),
    ]
    peer = {"request": request, "side": "P", "peer": script.consumer, "host": "10.0.3.7"}
    began = HandshakeStarted(**peer, port=5600 + rank)
    if rank == script.broken:
        failed = HandshakeFailed(
            **peer, port=5601, took=5 * S, error="no answer in 5.00 s", error_type="zmq.Again"
        )
        deferred = WriteStarted(request=request, outcome="deferred")
        return [
            *told,
            (met + 200 * US, p, rank, deferred),
            (met + 300 * US, p, rank, began),
            (met + 300 * US + 5 * S, p, rank, failed),
        ]
    shaken = HandshakeFinished(**peer, port=5600 + rank, took=1_820 * US)
    posted = WritePosted(request=request, peer_rank=rank, descriptors=1024, post=300 * US)
    share = script.size // script.ranks
    wrote = WriteFinished(request=request, peer_rank=rank, size=share, transfer=3_300 * US)
    return [
        *told,
        (met + 200 * US, p, rank, began),
        (met + 2_020 * US, p, rank, shaken),
        (met + 2_300 * US, p, rank, posted),
        (script.landed, p, rank, wrote),
        (script.over - 2 * MS, p, rank, SendReported(request=request)),
    ]


def moments(scripts: Sequence[Script], now: int) -> list[Moment]:
    """All that was heard of these transfers by now, as it came."""
    heard: list[tuple[int, Place, AnyEvent]] = []
    for script in scripts:
        for after, role, rank, event in steps(script):
            engine = script.producer if role is Role.PRODUCER else script.consumer
            heard.append((script.began + after, Place(engine, role, rank), event))
    ranks = {(where.engine, where.rank): where for _, where, _ in heard}
    first = min((at for at, _, _ in heard), default=now) - 1 * S
    heard += [(first, where, _started(where)) for where in ranks.values()]
    heard += [(now - 40 * MS, where, StepSampled(steps=9)) for where in ranks.values()]
    seqs: Counter[tuple[str, int]] = Counter()
    told = []
    for at, where, event in sorted(heard, key=lambda one: one[0]):
        if at > now:
            break
        seqs[where.engine, where.rank] += 1
        told.append(Moment(at, _record(at, where, event, seqs[where.engine, where.rank])))
    return [*told, Moment(now)]


def _started(where: Place) -> ProcessStarted:
    role = "kv_producer" if where.role is Role.PRODUCER else "kv_consumer"
    return ProcessStarted(
        engine=where.engine, rank=where.rank, kv_role=role, blocks=16_384, lease=300 * S
    )


def _record(at: int, where: Place, event: AnyEvent, seq: int) -> Record:
    return Record(
        process=f"{where.engine}/{where.rank}",
        seq=seq,
        at=at,
        wall=WALL + at - START,
        clock=BOOT,
        engine=where.engine,
        role=where.role,
        rank=where.rank,
        event=event,
    )


def snapshot(scripts: Sequence[Script], now: int = START, *news: News) -> Snapshot:
    """What the monitor makes of these transfers by now, and of what else arrived."""
    return last([*moments(scripts, now), *(Moment(now, one) for one in news), Moment(now)])


def last(told: Iterable[Moment]) -> Snapshot:
    """What the monitor makes of these moments at their end."""
    *_, found = watch(told, clock=BOOT, every=NEVER)
    return found


BROKEN = "cmpl-71cfd8c2-0b5e-4d0e-9a55-6f2d0f3b8a11"


def incident(now: int = START) -> list[Script]:
    """Seven stalled among some that are well, after five minutes of traffic."""
    seed = random.Random(7)

    def ago(seconds: float) -> int:
        return now - int(seconds * S)

    stuck = [
        Script(name=_id(seed), producer="P0", consumer="D2", began=ago(252), ready=NEVER),
        Script(name=_id(seed), producer="P0", consumer="D2", began=ago(220), ready=NEVER),
        Script(
            name=BROKEN,
            producer="P1",
            consumer="D3",
            began=ago(134),
            written=NEVER,
            ranks=2,
            broken=1,
        ),
        Script(name=_id(seed, "chat"), producer="P1", consumer="D3", began=ago(109), written=NEVER),
        Script(name=_id(seed), producer="P3", consumer="D0", began=ago(58.1), registered=NEVER),
        Script(name=_id(seed), producer="P2", consumer="D5", began=ago(41.6), ended=NEVER),
        Script(name=_id(seed), producer="P0", consumer="D2", began=ago(30.2), ready=NEVER),
    ]
    return stuck + traffic(seed, now, 40) + past(now)


def traffic(seed: random.Random, now: int, transfers: int, *, spread: int = 4 * S) -> list[Script]:
    """Transfers that are well, begun within the spread before now."""
    made = []
    for _ in range(transfers):
        ready = seed.randrange(200, 1700) * MS
        written = ready + seed.randrange(3, 90) * MS
        made.append(
            Script(
                name=_id(seed, seed.choice(("", "chat"))),
                producer=f"P{seed.randrange(4)}",
                consumer=f"D{seed.randrange(6)}",
                began=now - seed.randrange(spread),
                registered=seed.randrange(4, 40) * MS,
                ready=ready,
                written=written,
                ended=written + seed.randrange(6, 30) * MS,
                size=seed.randrange(1_000_000, 90_000_000),
            )
        )
    return made


def _id(seed: random.Random, prefix: str = "") -> str:
    digits = f"{seed.getrandbits(128):032x}"
    parts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
    return f"{prefix}cmpl-" + "-".join(parts)


def past(now: int = START) -> list[Script]:
    """Five minutes of traffic that went well, a little slower towards the end."""
    seed = random.Random(11)
    made = []
    for second in range(300):
        script = traffic(seed, now - (300 - second) * S, 1, spread=1)[0]
        slower = second * MS // 2
        made.append(
            msgspec.structs.replace(
                script,
                ready=script.ready + slower,
                written=script.written + slower + slower // 9,
                ended=script.ended + slower + slower // 7,
            )
        )
    return made


def stream(scripts: Sequence[Script], *, pace: int = 100 * MS) -> Iterator[Snapshot]:
    """Snapshots without end, from now on: what is known of these, and of traffic to come."""
    return watch(_endless(scripts, pace), clock=BOOT)


def _endless(scripts: Sequence[Script], pace: int) -> Iterator[Moment]:
    seed, seqs = random.Random(3), count(1_000_000)
    # As when one looks for the first time: the past arrives all at once.
    yield from (Moment(START, moment.news) for moment in moments(scripts, START))
    waiting: list[tuple[int, int, Place, AnyEvent]] = []
    fresh = list(scripts)
    after = START
    for tick in count(1):
        now = START + tick * pace
        if tick % 3 == 0:
            fresh += traffic(seed, now, 1, spread=1)
        for script in fresh:
            for at, role, rank, event in steps(script):
                engine = script.producer if role is Role.PRODUCER else script.consumer
                if script.began + at > after:
                    where = Place(engine, role, rank)
                    heappush(waiting, (script.began + at, next(seqs), where, event))
        fresh, after = [], now
        while waiting and waiting[0][0] <= now:
            at, seq, where, event = heappop(waiting)
            yield Moment(now, _record(at, where, event, seq))
        yield Moment(now)
