"""Rules for engines whose processes died, were shut down, or do not run."""

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis, Evidence
from kvtrace.diagnosis.case import Case
from kvtrace.engines import Engine
from kvtrace.model import Phase, Place, Role
from kvtrace.origins import Origin
from kvtrace.transfer import Half
from kvtrace.words import duration


def consumer_died(case: Case) -> Diagnosis | None:
    """The consumer's process is gone, so that nobody waits for the blocks any more."""
    gone = _died(case, Role.CONSUMER)
    if gone is None:
        return None
    d, p = case.called(Role.CONSUMER), case.called(Role.PRODUCER)
    return case.blame(
        Cause.CONSUMER_DIED,
        f"{case.place(gone.place)} is gone without a goodbye; nobody waits for this transfer "
        "any more.",
        f"Read the end of {d}’s log, and let the router send the request anew; {p} keeps its "
        "blocks until the lease runs out.",
        [gone],
    )


def producer_died(case: Case) -> Diagnosis | None:
    """The producer's process is gone, and what it had to do was not done."""
    if case.phase is Phase.COMPLETION:
        return None
    gone = _died(case, Role.PRODUCER)
    if gone is None:
        return None
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    waits = f"; {d} still waits for its {_awaited(case.phase)}" if case.over is None else ""
    return case.blame(
        Cause.PRODUCER_DIED,
        f"{case.place(gone.place)} is gone without a goodbye, and its blocks with it{waits}.",
        f"Read the end of {p}’s log; let the router cancel the request on {d} and send it anew "
        "to another P.",
        [gone],
    )


def producer_shut_down(case: Case) -> Diagnosis | None:
    """The producer, or a process of it, said goodbye while the transfer was open."""
    if case.phase is Phase.COMPLETION:
        return None
    name = case.engine_id(Role.PRODUCER)
    state = case.scene.state(name) if name else ""
    engine = case.scene.engine(name) if state else None
    if engine is None or _outlived(case, engine):
        return None
    left = next((one for one in engine.origins if one.gone and one.stopped), None)
    if state == "alive" and left is None and not engine.replaced:
        return None
    origin = _teller(engine, case.transfer.producer, stopped=True)
    if origin is None and state in ("alive", "ended"):
        origin = left
    if origin is None:
        return None
    p, d = case.called(Role.PRODUCER), case.called(Role.CONSUMER)
    said = Evidence(
        text=f"{p} said goodbye.",
        event="process.stopped",
        at=case.scene.clocks.instant(engine.newest) if state == "ended" else None,
        place=Place(name, Role.PRODUCER, origin.rank),
    )
    return case.blame(
        Cause.PRODUCER_SHUT_DOWN,
        f"{p} was shut down while this transfer waited for its {_awaited(case.phase)}.",
        f"Take {p} out of the router first, and start it with a `--shutdown-timeout` above its "
        f"lease; cancel the request on {d}.",
        [said],
    )


def engine_frozen(case: Case) -> Diagnosis | None:
    """A process that has to act exists, and does not run."""
    if case.over is not None:
        return None
    awaited = case.trouble.waits_for
    first = awaited.role if awaited is not None else Role.PRODUCER
    for role in (first, first.peer):
        name = case.engine_id(role)
        if not name or case.scene.state(name) != "frozen":
            continue
        engine = case.scene.engine(name)
        stuck = [one for one in engine.origins if one.frozen and not one.gone] if engine else []
        if stuck:
            return _frozen(case, role, stuck[0])
    return None


def _frozen(case: Case, role: Role, origin: Origin) -> Diagnosis:
    place = Place(case.engine_id(role), role, origin.rank)
    where, engine = case.place(place), case.called(role)
    return case.blame(
        Cause.ENGINE_FROZEN,
        f"{where} is there and does not run: it was stopped by a signal or a debugger. The "
        f"transfer has waited for {duration(case.waited)}.",
        f"Send SIGCONT to the process of {where}, or end {engine}; let the router leave it out.",
        [
            Evidence(
                text=f"{where} was stopped when it was last looked at.",
                at=origin.watched,
                place=place,
            )
        ],
    )


def _died(case: Case, role: Role) -> Evidence | None:
    """That a process which took part, or the engine as it is now, is gone without a goodbye."""
    name = case.engine_id(role)
    state = case.scene.state(name) if name else ""
    engine = case.scene.engine(name) if state else None
    if engine is None or (state != "died" and not engine.replaced) or _outlived(case, engine):
        return None
    half = case.half_of[role]
    gone = _teller(engine, half, stopped=False)
    if gone is None and state == "died":
        gone = next(one for one in engine.origins if one.gone and not one.stopped)
    if gone is None:
        return None
    place = Place(name, role, gone.rank)
    return Evidence(
        text=f"The process of {case.place(place)} is gone, and had not said goodbye.",
        at=case.scene.clocks.instant(engine.newest) if state == "died" else None,
        place=place,
    )


def _teller(engine: Engine, half: Half | None, *, stopped: bool) -> Origin | None:
    """One of its processes that told of this half, and is no more."""
    told = {one.process for one in half.told.values()} if half is not None else set()
    every = (*engine.origins, *engine.replaced)
    return next(
        (one for one in every if one.gone and one.stopped is stopped and one.process in told), None
    )


def _outlived(case: Case, engine: Engine) -> bool:
    """Whether the engine still spoke when the transfer was over already."""
    if case.over is None:
        return False
    clocks = case.scene.clocks
    return clocks.instant(engine.newest) > clocks.instant(case.over.mark)


def _awaited(phase: Phase) -> str:
    return {Phase.READINESS: "blocks", Phase.WRITE: "write"}.get(phase, "transfer")
