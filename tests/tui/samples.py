"""Snapshots whose numbers agree with one another, made from scripts of transfers."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
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
    WriteFinished,
    WritePosted,
    WriteStarted,
    kind,
)
from kvtrace.model import SCHEDULER, Link, Mark, Outcome, Phase, Place, Role
from kvtrace.snapshot import Done, EngineLine, Losses, PhaseLine, Row, Snapshot, Totals
from kvtrace.transfer import Half, Told, Transfer

US, MS, S = 1_000, 1_000_000, 1_000_000_000
START = 1_000 * S
WALL = 1_767_276_157 * S
"""14:02:37 on the first of January 2026, UTC."""

BOOT = "boot-1"
PATIENCE = 5 * S
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
    outcome: Outcome = Outcome.FINISHED
    broken: int | None = None
    """The producer's rank that cannot reach the consumer."""

    @property
    def ends(self) -> dict[Phase, int]:
        """When each phase ends, in their order."""
        return dict(
            zip(Phase, (self.registered, self.ready, self.written, self.ended), strict=True)
        )

    def phase(self, now: int) -> Phase | None:
        """What it waits for; None once it has ended."""
        return next((phase for phase, end in self.ends.items() if now - self.began < end), None)

    def since(self, now: int) -> int:
        """When its present phase began, since it began itself."""
        return max((end for end in self.ends.values() if end <= now - self.began), default=0)

    @property
    def link(self) -> Link:
        """From where to where."""
        return Link(self.producer, self.consumer)


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
        (script.ended - 1 * MS, d, SCHEDULER, ReceiveFinished(request=remote)),
        (script.ended, d, SCHEDULER, RequestResumed(request=remote)),
        (script.ended + 1 * MS, p, SCHEDULER, BlocksReleased(request=local)),
    ]
    for rank in range(script.ranks):
        told += _consumer_rank(script, rank, remote) + _producer_rank(script, rank, local, remote)
    return sorted(told, key=lambda step: step[0])


def _consumer_rank(script: Script, rank: int, request: str) -> list[Step]:
    d, late = Role.CONSUMER, rank * 300 * US
    sent = RegistrationSent(
        request=request, producer=script.producer, peer_rank=rank, size=900, took=80 * US
    )
    told: list[Step] = [
        (2_500 * US + late, d, rank, RegistrationQueued(request=request)),
        (3_100 * US + late, d, rank, sent),
    ]
    if rank == script.broken:
        return told
    noticed = min(script.written, script.ready + 12 * MS) + 4 * MS
    return [
        *told,
        (noticed, d, rank, NotificationNoticed(request=request, peer_rank=rank)),
        (noticed + 50 * US, d, rank, CompletionCounted(request=request, count=1, needed=1)),
        (noticed + 2 * MS, d, rank, ReceiveReported(request=request)),
    ]


def _producer_rank(script: Script, rank: int, request: str, remote: str) -> list[Step]:
    p, ready = Role.PRODUCER, script.ready
    told: list[Step] = [
        (script.registered, p, rank, RegistrationNoticed(request=remote, remote_request=remote)),
        (ready - 1 * MS, p, rank, BlocksQueued(request=request, blocks=512)),
        (ready - 1 * MS + 5_000, p, rank, LeaseGranted(request=request, lease=30 * S)),
        (ready, p, rank, MatchMade(request=request, remote_request=remote, exact=False)),
    ]
    if rank == script.broken:
        began = HandshakeStarted(request=request, side="P", peer="D3", host="10.0.3.7", port=5600)
        failed = HandshakeFailed(
            request=request,
            side="P",
            peer="D3",
            host="10.0.3.7",
            port=5600,
            took=5 * S,
            error="no answer in 5.00 s",
            error_type="zmq.Again",
        )
        deferred = WriteStarted(request=request, outcome="deferred")
        return [
            *told,
            (ready + 200 * US, p, rank, deferred),
            (ready + 300 * US, p, rank, began),
            (ready + 300 * US + 5 * S, p, rank, failed),
        ]
    began = HandshakeStarted(request=request, side="P", peer="D3", host="10.0.3.7", port=5601)
    met = HandshakeFinished(request=request, side="P", peer="D3", took=8_020 * US)
    landed = min(script.written, ready + 12 * MS)
    posted = WritePosted(request=request, peer_rank=rank, descriptors=1024, post=300 * US)
    wrote = WriteFinished(
        request=request, peer_rank=rank, size=script.size // script.ranks, transfer=3_300 * US
    )
    return [
        *told,
        (ready + 200 * US, p, rank, began),
        (ready + 200 * US + 8_020 * US, p, rank, met),
        (ready + 8_500 * US, p, rank, posted),
        (landed, p, rank, wrote),
        (script.ended - 2 * MS, p, rank, SendReported(request=request)),
    ]


def transfer(script: Script, now: int) -> Transfer:
    """What is known of it by now."""
    halves: dict[Role, dict[tuple[str, str, int, int, int], Told]] = {
        Role.PRODUCER: {},
        Role.CONSUMER: {},
    }
    for seq, (after, role, rank, event) in enumerate(steps(script), 1):
        if script.began + after > now:
            break
        engine = script.producer if role is Role.PRODUCER else script.consumer
        process = f"{engine}/{rank}"
        at = script.began + after
        mark = Mark(at=at, wall=WALL + at - START, clock=BOOT, seen=at)
        key = (kind(event), process, rank, getattr(event, "peer_rank", -1), 0)
        told = Told(Place(engine, role, rank), mark, event, process, seq)
        halves[role][key] = told
    return Transfer(
        id=script.name,
        producer=_half(script.producer, Role.PRODUCER, script.name, halves[Role.PRODUCER]),
        consumer=_half(script.consumer, Role.CONSUMER, script.name, halves[Role.CONSUMER]),
        joined="match" if now - script.began >= script.ready else "base id",
    )


def _half(
    engine: str, role: Role, name: str, told: dict[tuple[str, str, int, int, int], Told]
) -> Half | None:
    if not told:
        return None
    tail = "aaaaaaaa" if role is Role.PRODUCER else "bbbbbbbb"
    return Half(engine=engine, role=role, request=f"{name}-{tail}", base=name, told=told)


def row(script: Script, now: int) -> Row:
    """The transfer as one in flight."""
    phase = script.phase(now)
    assert phase is not None
    waited = now - script.began - script.since(now)
    writes = phase in (Phase.WRITE, Phase.COMPLETION)
    wrote = script.ranks if phase is Phase.COMPLETION else int(script.broken is not None)
    return Row(
        transfer=transfer(script, now),
        id=script.name,
        phase=phase,
        waited=waited,
        age=now - script.began,
        stalled=waited > PATIENCE,
        patience=PATIENCE,
        waits_for=_awaited(script, phase),
        link=script.link,
        ranks=(wrote, script.ranks) if writes else (0, 0),
        size=script.size * wrote // script.ranks if writes else 0,
    )


def _awaited(script: Script, phase: Phase) -> Place:
    rank = script.broken or 0
    return {
        Phase.REGISTRATION: Place(script.producer, Role.PRODUCER, 0),
        Phase.READINESS: Place(script.producer, Role.PRODUCER),
        Phase.WRITE: Place(script.producer, Role.PRODUCER, rank),
        Phase.COMPLETION: Place(script.consumer, Role.CONSUMER, 0),
    }[phase]


def done(script: Script, now: int) -> Done:
    """The transfer as one that ended."""
    at = script.began + script.ended
    starts = (0, script.registered, script.ready, script.written)
    spent = (end - start for start, end in zip(starts, script.ends.values(), strict=True))
    return Done(
        transfer=transfer(script, now),
        id=script.name,
        link=script.link,
        outcome=script.outcome,
        ended=Mark(at=at, wall=WALL + at - START, clock=BOOT, seen=at),
        took=script.ended,
        size=script.size,
        phases=tuple(zip(Phase, spent, strict=True)),
    )


def snapshot(
    scripts: Sequence[Script], now: int = START, *, losses: Losses | None = None
) -> Snapshot:
    """Everything that is known of these transfers by now."""
    begun = [script for script in scripts if script.began <= now]
    rows = [row(script, now) for script in begun if script.phase(now)]
    rows.sort(key=lambda line: (not line.stalled, -line.waited))
    ended = [script for script in begun if not script.phase(now)]
    ended.sort(key=lambda script: -(script.began + script.ended))
    outcomes = Counter(script.outcome for script in ended)
    return Snapshot(
        at=now,
        wall=WALL + now - START,
        totals=Totals(
            waiting=len(rows),
            stalled=sum(line.stalled for line in rows),
            finished=outcomes[Outcome.FINISHED],
            failed=outcomes[Outcome.FAILED],
            abandoned=outcomes[Outcome.ABANDONED],
        ),
        oldest=max((line.waited for line in rows), default=None),
        phases=tuple(_phase_line(phase, rows, ended, now) for phase in Phase),
        rows=tuple(rows),
        done=tuple(done(script, now) for script in ended[:100]),
        engines=tuple(_engines(begun, rows)),
        losses=losses or Losses(lag=40 * MS, clock_error=210 * US),
        events=sum(len(steps(script)) for script in begun),
        rate=4_812.0,
    )


def _phase_line(phase: Phase, rows: Sequence[Row], ended: Sequence[Script], now: int) -> PhaseLine:
    inside = [line for line in rows if line.phase is phase]
    took = sorted(dict(done(script, now).phases)[phase] for script in ended)
    seed = random.Random(tuple(Phase).index(phase))
    history = tuple(int(abs(seed.gauss(30, 10)) * MS * (1 + i / 40)) for i in range(60))
    return PhaseLine(
        phase=phase,
        waiting=len(inside),
        stalled=sum(line.stalled for line in inside),
        rate=len([s for s in ended if now - s.began - s.ended < 10 * S]) / 10,
        count=len(took),
        p50=took[len(took) // 2] if took else None,
        p99=took[len(took) * 99 // 100] if took else None,
        history=history if took else (-1,) * 60,
    )


def _engines(scripts: Sequence[Script], rows: Sequence[Row]) -> Iterator[EngineLine]:
    names = {s.producer for s in scripts} | {s.consumer for s in scripts}
    for name in sorted(names, key=lambda name: (name[0] != "P", name)):
        here = [line for line in rows if name in (line.link.producer, line.link.consumer)]
        blocked = [line for line in here if line.stalled and line.waits_for is not None]
        yield EngineLine(
            name=name,
            id=name,
            roles=name[0],
            ranks=1,
            in_flight=len(here),
            waited_for=sum(line.waits_for.engine == name for line in blocked if line.waits_for),
            heard=40 * MS,
            state="alive",
            held_blocks=len(here) * 512,
            blocks=len(here) * 512 * 2 + 4096,
        )


BROKEN = "cmpl-71cfd8c2-0b5e-4d0e-9a55-6f2d0f3b8a11"


def incident(now: int = START) -> list[Script]:
    """Seven stalled among many that are well."""
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
    return [_monotone(script) for script in stuck] + traffic(seed, now, 40)


def _monotone(script: Script) -> Script:
    """The script with no phase ending before an earlier one."""
    ready = max(script.ready, script.registered if script.registered == NEVER else 0)
    written = max(script.written, ready if ready == NEVER else 0)
    ended = max(script.ended, written if written == NEVER else 0)
    return msgspec.structs.replace(script, ready=ready, written=written, ended=ended)


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
                ended=written + seed.randrange(2, 30) * MS,
                size=seed.randrange(1_000_000, 90_000_000),
            )
        )
    return made


def _id(seed: random.Random, prefix: str = "") -> str:
    digits = f"{seed.getrandbits(128):032x}"
    parts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
    return f"{prefix}cmpl-" + "-".join(parts)


def stream(*, stuck: bool = True, pace: int = 100 * MS) -> Iterator[Snapshot]:
    """Snapshots without end, of traffic that never ceases."""
    seed = random.Random(3)
    scripts = incident() if stuck else traffic(seed, START, 8)
    for tick in count():
        now = START + tick * pace
        if tick % 2 == 0:
            scripts += traffic(seed, now, 1, spread=1)
        fresh = now - 60 * S
        scripts = [s for s in scripts if s.phase(now) or s.began > fresh]
        yield snapshot(scripts, now)
