"""Rules for writes that landed, and of which one side was never told."""

from collections.abc import Iterator

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.engine_case import EngineCase
from kvtrace.diagnosis.found import Found
from kvtrace.events import (
    LeaseExpired,
    LeaseGranted,
    LeaseRenewed,
    NotificationNoticed,
    SendReported,
    StepSampled,
    WriteFailed,
    WriteFinished,
)
from kvtrace.model import Outcome, Place, Role
from kvtrace.transfer import Half
from kvtrace.words import clean, duration, many, setting

SECOND = 1_000_000_000

OVERDUE = 5 * SECOND
"""Nanoseconds after which what takes a step or two did not happen."""


def completion_lost(case: Case) -> Diagnosis | None:
    """A write landed; the consumer looked for messages since, and there was none about it."""
    if case.waited < OVERDUE or case.transfer.consumer is None:
        return None
    if not case.has(WriteFinished, WriteFailed):
        return None
    noticed = {(one.event.peer_rank, one.place.rank) for one in case.all(NotificationNoticed)}
    unnamed = {rank for peer, rank in noticed if peer < 0}
    counted = case.steps.ranks("completion.counted").keys() | case.steps.ranks("receive.reported")
    for landed in _landed(case):
        pair = landed.place.rank, landed.event.peer_rank
        if pair in noticed or pair[1] in unnamed or pair[1] in counted:
            continue
        looked = _looked(case, landed)
        if looked is None or case.now - landed.at < OVERDUE:
            continue
        where = Place(case.engine_id(Role.CONSUMER), Role.CONSUMER, pair[1])
        d, p = case.called(Role.CONSUMER), case.called(Role.PRODUCER)
        return case.blame(
            Cause.COMPLETION_LOST,
            f"The write of {case.place(landed.place)} landed {case.ago(landed)} ago; "
            f"{case.place(where)} was never notified.",
            f"Cancel the request on {d}; compare the NIXL versions{_versions(case)} of {p} and "
            f"{d}, and use the UCX backend if another is in use.",
            [
                case.saw(landed, "The write landed."),
                case.saw(looked, f"{d} looked for messages after that."),
                case.never("notification.noticed", "None told of this write.", where),
            ],
        )
    return None


def _landed(case: Case) -> Iterator[Found[WriteFinished] | Found[WriteFailed]]:
    """Every write that is known to be done, even where it could not be measured."""
    yield from case.all(WriteFinished)
    yield from (one for one in case.all(WriteFailed) if one.event.stage == "telemetry")


def _looked(
    case: Case, landed: Found[WriteFinished] | Found[WriteFailed]
) -> Found[StepSampled] | None:
    """That the rank drained its messages in a window that began after the landing."""
    sampled = case.scene.notices(case.engine_id(Role.CONSUMER), StepSampled)
    fits = (
        one
        for one in sampled
        if one.place.rank == landed.event.peer_rank
        and one.event.loops
        and one.at - one.event.window > landed.at
    )
    return next(fits, None)


def _versions(case: Case) -> str:
    told = [case.scene.settings(case.engine_id(role)) for role in Role]
    found = dict.fromkeys(clean(one.nixl_version) for one in told if one is not None)
    return f" (now {', '.join(found)})" if found and all(found) else ""


def telemetry_raised(case: Case) -> Diagnosis | None:
    """A write landed, and asking NIXL how long it took raised: vLLM counts it as failed."""
    if not case.has(WriteFailed):
        return None
    raised = next((o for o in case.all(WriteFailed) if o.event.stage == "telemetry"), None)
    landed = case.over is not None and case.over.outcome is Outcome.FINISHED
    if raised is None or not (landed or case.transfer.consumer is None):
        return None
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    error = clean(raised.event.error) or "an error"
    return case.blame(
        Cause.TELEMETRY_RAISED,
        f"{case.place(raised.place)} wrote to {d}; asking NIXL how long it took raised {error}, "
        "and it holds the blocks as if the write had failed.",
        f"Set `NIXL_TELEMETRY_ENABLE=y` on {p}, or install a NIXL{_versions(case)} whose telemetry "
        "answers.",
        [case.saw(raised, "The write was done, and its telemetry raised.")],
    )


def telemetry_raises(case: EngineCase) -> Diagnosis | None:
    """The same for all writes of an engine that told of it lately."""
    told = case.scene.notices(case.engine.id, WriteFailed)
    raised = [o for o in told if o.event.stage == "telemetry" and case.now - o.at < 60 * SECOND]
    if not raised:
        return None
    error = clean(raised[-1].event.error) or "an error"
    now = case.scene.lease_now(case.engine.id)
    held = f" for `kv_lease_duration`{now}" if now else " until its lease ends"
    return case.blame(
        Cause.TELEMETRY_RAISED,
        f"{case.called} finished {many(len(raised), 'write')} lately whose telemetry raised "
        f"{error}, which it counts as failed; it holds their blocks{held}.",
        f"Set `NIXL_TELEMETRY_ENABLE=y` on {case.called}, or install a NIXL whose telemetry "
        "answers.",
        [case.saw(raised[0], "A write was done, and its telemetry raised.")],
    )


def send_never_reported(case: Case) -> Diagnosis | None:
    """All writes landed, and the producer's rank has not told its scheduler."""
    half = case.transfer.producer
    if half is None or case.transfer.consumer is not None or case.waited < OVERDUE:
        return None
    if not case.has(WriteFinished) or case.has(SendReported, WriteFailed):
        return None
    return _unreported(case, half)


def _unreported(case: Case, half: Half) -> Diagnosis | None:
    if set(case.steps.at("write.posted")) - set(case.steps.at("write.finished")):
        return None
    landed = case.last(WriteFinished)
    if landed is None or case.now - landed.at < OVERDUE:
        return None
    stepped = next(
        (
            one
            for one in case.scene.notices(half.engine, StepSampled)
            if one.place.rank == landed.place.rank
            and one.event.steps
            and one.at - one.event.window > landed.at
        ),
        None,
    )
    if stepped is None:
        return None
    where = case.place(landed.place)
    return case.blame(
        Cause.SEND_NEVER_REPORTED,
        f"The write of {where} landed {case.ago(landed)} ago; {where} has not told its scheduler, "
        "which holds the blocks.",
        f"Upgrade vLLM on {case.called(Role.PRODUCER)}{_release(case)}; until then lower "
        "`kv_lease_duration`, which is when the blocks come back.",
        [
            case.saw(landed, "The last write landed."),
            case.saw(stepped, "The rank made steps after that."),
            case.never("send.reported", "It did not report the send.", landed.place),
        ],
    )


def sends_never_reported(case: EngineCase) -> Diagnosis | None:
    """Leases ran out of transfers whose writes had all landed."""
    if Role.PRODUCER not in case.engine.roles:
        return None
    held = []
    for transfer in case.scene.ended_on(case.engine.id, Role.PRODUCER):
        half = transfer.producer
        found = None if half is None else _expired_though_done(case, half)
        if found is not None:
            held.append(found)
    if not held:
        return None
    now = case.scene.lease_now(case.engine.id)
    return case.blame(
        Cause.SEND_NEVER_REPORTED,
        f"{case.called} held the blocks of {len(held)} finished transfers lately until their "
        "leases ran out; it never reported their writes.",
        f"Upgrade vLLM on {case.called}; until then lower `kv_lease_duration`{now}.",
        [case.saw(held[0], "A lease ran out though every write had landed before.")],
    )


def _expired_though_done(case: EngineCase, half: Half) -> Found[LeaseExpired] | None:
    told = half.told.values()
    gone = next((one for one in told if isinstance(one.event, LeaseExpired)), None)
    if gone is None or any(isinstance(one.event, WriteFailed) for one in told):
        return None
    names = {(key[0], key[2], key[3]) for key in half.told}
    posted = {name[1:] for name in names if name[0] == "write.posted"}
    landed = {name[1:] for name in names if name[0] == "write.finished"}
    if not posted or posted - landed:
        return None
    last = max(one.mark.at for one in told if isinstance(one.event, WriteFinished))
    # A lease that ends in the very step that finds the write done is only a close shave.
    late = gone.place.rank in {rank for rank, _ in posted} and gone.mark.at - last > SECOND
    return case.found(gone) if late else None


def lease_never_reaped(case: Case) -> Diagnosis | None:
    """The lease is over by every word of it, and the producer's rank steps on and holds it."""
    half = case.transfer.producer
    # What a consumer waits for has another cause.
    if half is None or case.over or case.transfer.consumer or not case.has(LeaseGranted):
        return None
    if case.has(LeaseExpired, SendReported):
        return None
    granted = case.last(LeaseGranted)
    assert granted is not None
    if case.now - granted.at <= granted.event.lease + OVERDUE:
        return None
    due = granted.at + granted.event.lease
    settings = case.scene.settings(half.engine)
    for beat in case.scene.notices(half.engine, LeaseRenewed):
        if beat.event.matched and beat.place.rank == granted.place.rank:
            due = max(due, beat.at + (settings.lease if settings else granted.event.lease))
    stepped = [
        one
        for one in case.scene.notices(half.engine, StepSampled)
        if one.place.rank == granted.place.rank
        and one.event.steps > 2
        and one.at - one.event.window > due
    ]
    if case.now - due < OVERDUE or not stepped:
        return None
    where = case.place(granted.place)
    return case.blame(
        Cause.LEASE_NEVER_REAPED,
        f"The lease of {where} ran out {duration(case.now - due)} ago at the latest; it made steps "
        "since, and still holds the blocks.",
        f"Upgrade vLLM on {case.called(Role.PRODUCER)}{_release(case)}, or restart it to free the "
        "blocks.",
        [
            case.saw(granted, f"The lease was granted for {setting(granted.event.lease)}."),
            case.saw(stepped[0], "The rank made steps after the lease was over."),
            case.never("lease.expired", "It did not give the blocks back.", granted.place),
        ],
    )


def _release(case: Case) -> str:
    settings = case.scene.settings(case.engine_id(Role.PRODUCER))
    return f" (now {clean(settings.vllm_version)})" if settings and settings.vllm_version else ""
