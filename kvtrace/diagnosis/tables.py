"""Rules for an engine's tables that only grow."""

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis, Evidence
from kvtrace.diagnosis.engine_case import EngineCase
from kvtrace.diagnosis.found import Found
from kvtrace.diagnosis.scene import Scene
from kvtrace.events import RegistrationNoticed, RequestFinished, TablesSampled
from kvtrace.model import Role
from kvtrace.transfer import Transfer
from kvtrace.wire import kind
from kvtrace.words import duration, many

SECOND = 1_000_000_000

LONG = 60 * SECOND
"""For which registrations have to have been there, to be left over."""

MANY = 8
"""Registrations that wait for nobody, to be worth a word."""

TABLE = "registrations"


def registrations_pile_up(case: EngineCase) -> Diagnosis | None:
    """The producer keeps registrations of requests that are over."""
    if Role.PRODUCER not in case.engine.roles or case.engine.state != "alive":
        return None
    samples = [
        one for one in case.scene.notices(case.engine.id, TablesSampled) if TABLE in one.event.sizes
    ]
    if not samples or samples[-1].event.sizes[TABLE] < MANY or _ranks_differ(case):
        return None
    rank = samples[-1].place.rank
    of_rank = [one for one in samples if one.place.rank == rank]
    left = _left_over(of_rank, case.now)
    if left is None:
        return None
    waiting = sum(_waits(one) for one in case.scene.on(case.engine.id, Role.PRODUCER))
    if left - waiting < MANY:
        return None
    last, since = of_rank[-1], case.now - of_rank[0].at
    return case.blame(
        Cause.REGISTRATIONS_PILE_UP,
        f"{case.called} rank {rank} has kept at least {many(left, 'registration')} for "
        f"{duration(since)}; of their requests {waiting:,} wait.",
        f"Find out why prefills do not come on {case.called}, which leaves them behind; restart "
        "it to be rid of them.",
        [
            _sampled(
                of_rank[0], f"{many(of_rank[0].event.sizes[TABLE], 'registration')} waited there."
            ),
            _sampled(last, f"{many(last.event.sizes[TABLE], 'registration')} waited there."),
        ],
    )


def _left_over(samples: list[Found[TablesSampled]], now: int) -> int | None:
    """The fewest that were there at any time, where the samples go back long enough."""
    if now - samples[0].at < LONG:
        return None
    return min(one.event.sizes[TABLE] for one in samples)


def _ranks_differ(case: EngineCase) -> bool:
    """Whether any consumer has another number of ranks: some then stay unmatched in good health."""
    return case.scene.once(
        "ranks differ", case.engine.id, lambda: _some_differ(case.scene, case.engine.id)
    )


def _some_differ(scene: Scene, engine: str) -> bool:
    settings = scene.settings(engine)
    mine = settings.tp_size if settings is not None else 0
    for transfer in scene.known_on(engine, Role.PRODUCER):
        told = transfer.producer.told.values() if transfer.producer is not None else ()
        for one in told:
            if isinstance(one.event, RegistrationNoticed) and one.event.tp_size not in (0, mine):
                return True
    return False


def _waits(transfer: Transfer) -> bool:
    """Whether a registration of it can still be of use."""
    theirs = transfer.consumer
    told = theirs.told.values() if theirs is not None else ()
    return not any(isinstance(one.event, RequestFinished) for one in told)


def _sampled(found: Found[TablesSampled], text: str) -> Evidence:
    return Evidence(text=text, event=kind(found.event), at=found.at, place=found.place)
