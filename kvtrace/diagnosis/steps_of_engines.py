"""Rules for what engines' steps, cores and buffers cost."""

from collections.abc import Iterator

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis, Evidence
from kvtrace.diagnosis.case import Case
from kvtrace.diagnosis.engine_case import EngineCase
from kvtrace.diagnosis.found import Found
from kvtrace.diagnosis.patience import COSTLY, STEPPED
from kvtrace.engines import Engine
from kvtrace.events import CompletionCounted, NotificationNoticed, ReceiveReported, StepSampled
from kvtrace.model import Place, Role
from kvtrace.origins import Origin
from kvtrace.split import Part
from kvtrace.transfer import Transfer
from kvtrace.words import clean, duration, many, setting

SECOND = 1_000_000_000

SPINNING = 300
"""Steps a second, next to none of them with the model, from which an engine only spins."""

SPUN = 5 * SECOND
"""Nanoseconds of samples that say so."""

PARKED = 20 * SECOND
"""Nanoseconds for which something waited: to spin for a moment is how vLLM waits."""


def notifications_wait_for_steps(case: Case) -> Diagnosis | None:
    """The word that the write landed lay unread until the consumer's next step."""
    split = case.shares
    if split is None or split.of(Part.NOTIFICATION) < STEPPED:
        return None
    late = split.of(Part.NOTIFICATION)
    if 2 * late < split.handoff or split.error is None or 4 * split.error > late:
        return None
    noticed = case.last(NotificationNoticed)
    if noticed is None or 5 * noticed.event.gap < 4 * late:
        return None
    sampled = [
        one
        for one in case.scene.notices(noticed.place.engine, StepSampled)
        if one.place.rank == noticed.place.rank and 2 * one.event.longest >= late
    ]
    if not sampled:
        return None
    where, d = case.place(noticed.place), case.called(Role.CONSUMER)
    return case.blame(
        Cause.NOTIFICATIONS_WAIT_FOR_STEPS,
        f"The write had landed {duration(late)} before {where} looked for messages, which it does "
        f"once a step; its steps took up to {duration(sampled[-1].event.longest)}.",
        f"Lower `max_num_batched_tokens` on {d}, so that its steps are shorter.",
        [
            case.saw(
                noticed, f"{where} looked {duration(noticed.event.gap)} after the time before."
            ),
            case.saw(sampled[-1], "The longest step told of."),
        ],
    )


def host_buffer(case: Case) -> Diagnosis | None:
    """The consumer copied the KV from the host to its device, which took most of the handoff."""
    split = case.shares
    if split is None or split.of(Part.COUNTING) < COSTLY:
        return None
    settings = case.scene.settings(case.engine_id(Role.CONSUMER))
    if settings is None or settings.facts.get("host_buffer") != "True":
        return None
    for reported in case.all(ReceiveReported):
        mine = [o for o in case.all(CompletionCounted) if o.place == reported.place]
        took = reported.at - mine[-1].at if mine else 0
        if took < COSTLY or 2 * took < split.handoff:
            continue
        where, d = case.place(reported.place), case.called(Role.CONSUMER)
        return case.blame(
            Cause.HOST_BUFFER,
            f"{where} took {duration(took)} to copy the KV from the host’s memory to its device.",
            f"Set `kv_buffer_device` (now `cpu`) to the device on {d} and "
            f"{case.called(Role.PRODUCER)}, where NIXL can reach it.",
            [case.saw(mine[-1], "All of it had come."), case.saw(reported, "It was copied.")],
        )
    return None


def parked_engines_spin(case: EngineCase) -> Diagnosis | None:
    """An engine steps without pause and without its model, for transfers that wait long."""
    for origin in case.engine.origins:
        mine = [
            one
            for one in case.scene.notices(case.engine.id, StepSampled)
            if one.place.rank == origin.rank
        ]
        spun = _spun(mine)
        if not spun or case.now - spun[-1].at > SPUN:
            continue
        steps, window = (sum(getattr(o.event, n) for o in spun) for n in ("steps", "window"))
        # Whom it waits for is looked for last, since it takes a look at every transfer.
        if window < SPUN or not (parked := _parked(case)):
            continue
        oldest = duration(case.now - min(parked))
        return case.blame(
            Cause.PARKED_ENGINES_SPIN,
            f"{case.called} made {many(steps * SECOND // window, 'step')} a second without its "
            f"model; the longest wait on it, of {many(len(parked), 'transfer')}, is {oldest}.",
            f"Clear what waits on {case.called} (each transfer’s own cause says how); "
            f"{_limit(case)} bounds it.",
            [case.saw(spun[0], "It began to spin."), case.saw(spun[-1], "It still spun.")],
        )
    return None


def _spun(sampled: list[Found[StepSampled]]) -> list[Found[StepSampled]]:
    """The last samples in a row in which it only spun, the earliest first."""
    found: list[Found[StepSampled]] = []
    for one in sorted(sampled, key=lambda one: -one.at):
        event = one.event
        spins = event.window and event.steps * SECOND >= SPINNING * event.window
        if not spins or event.forwards * 100 > event.steps:
            break
        found.append(one)
    return found[::-1]


def _parked(case: EngineCase) -> list[int]:
    """When those in flight began that have waited long."""
    every = {
        one.id: one for role in case.engine.roles for one in case.scene.on(case.engine.id, role)
    }
    began = [_began(case, one) for one in every.values()]
    return [one for one in began if case.now - one >= PARKED]


def _began(case: EngineCase, transfer: Transfer) -> int:
    halves = (transfer.producer, transfer.consumer)
    marks = [told.mark for half in halves if half is not None for told in half.told.values()]
    return min((case.scene.clocks.instant(mark) for mark in marks), default=case.now)


def _limit(case: EngineCase) -> str:
    settings = case.engine.settings
    if Role.PRODUCER in case.engine.roles:
        now = f" (now {setting(settings.lease)})" if settings is not None else ""
        return f"a lower `kv_lease_duration`{now}"
    return "a deadline in the router"


def kv_shares_a_cpu(case: EngineCase) -> Diagnosis | None:
    """A rank has one core for all its KV threads, and another rank has the same one."""
    mine = {one.rank: cpu for one in case.engine.origins if (cpu := _only_cpu(one))}
    if not mine:
        return None
    for other, origin in _neighbours(case):
        cpu = _only_cpu(origin)
        shared = next((rank for rank, core in mine.items() if core == cpu), None)
        same = other.id == case.engine.id and origin.rank == shared
        if shared is None or same or not _same_host(case.engine, shared, origin):
            continue
        here = Place(case.engine.id, next(iter(case.engine.roles), Role.PRODUCER), shared)
        them = f"{case.scene.called(other.id)} rank {origin.rank}"
        return case.blame(
            Cause.ONE_CORE_FOR_KV,
            f"All KV threads of {case.called} rank {shared} run on core {cpu}, and so do those of "
            f"{them}.",
            "Give each engine cores of its own: a cpuset (`taskset`, `numactl`) for each, and "
            "`VLLM_CPU_OMP_THREADS_BIND` within it; vLLM takes the last core of each NUMA node.",
            [
                Evidence(
                    text=f"Its only core is {cpu}.",
                    event="process.started",
                    at=origin.since,
                    place=here,
                )
            ],
        )
    return None


def _neighbours(case: EngineCase) -> Iterator[tuple[Engine, Origin]]:
    for engine in case.scene.engines():
        for origin in engine.origins:
            if not origin.gone and origin.rank >= 0:
                yield engine, origin


def _only_cpu(origin: Origin) -> str:
    """The core that the rank is bound to; empty where it has several, or did not tell."""
    if origin.rank < 0 or origin.gone or origin.started is None:
        return ""
    cpus = clean(origin.started.facts.get("cpus", ""))
    return cpus if cpus.isdigit() else ""


def _same_host(engine: Engine, rank: int, other: Origin) -> bool:
    clocks = {one.began.clock for one in engine.origins if one.rank == rank and not one.gone}
    return other.began.clock in clocks
