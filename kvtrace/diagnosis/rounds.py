"""Goes round all transfers in trouble, and keeps what was found for as long as it can be true."""

from collections.abc import Callable, Iterable

from kvtrace.diagnosed import Diagnosis
from kvtrace.diagnosis.case import Case, Trouble
from kvtrace.diagnosis.engine_case import EngineCase
from kvtrace.diagnosis.rules import ENGINE_RULES, FINISHED_RULES, RULES
from kvtrace.diagnosis.scene import Scene
from kvtrace.diagnosis.unexplained import unexplained
from kvtrace.fleet import Fleet
from kvtrace.model import Outcome
from kvtrace.transfer import Transfer

FRESH = 200
"""Transfers that are looked at anew each time; of the others a few in turn."""

IN_TURN = 50

SECOND = 1_000_000_000


class Rounds:
    """The diagnoses of one fleet."""

    def __init__(self, fleet: Fleet, called: Callable[[str], str]) -> None:
        self._fleet = fleet
        self._called = called
        self._stalled: dict[str, Diagnosis] = {}
        self._engines: tuple[int, tuple[Diagnosis, ...]] = (-1, ())

    def look(self, cases: Iterable[tuple[Transfer, Trouble]], now: int) -> dict[str, Diagnosis]:
        """The diagnosis of each of these stalled transfers, the worst of them first, by id."""
        scene = Scene(self._fleet, self._called, now)
        found: dict[str, Diagnosis] = {}
        spare = IN_TURN
        for number, (transfer, trouble) in enumerate(cases):
            known = self._stalled.get(transfer.id)
            if number >= FRESH and (known is not None or not spare):
                if known is not None:
                    found[transfer.id] = known
                continue
            spare -= number >= FRESH
            found[transfer.id] = diagnose(Case(transfer, trouble, scene))
        self._stalled = found
        return found

    def over(self, transfer: Transfer, trouble: Trouble, now: int) -> Diagnosis | None:
        """Why an ended transfer failed, was given up, or was slow; None where all was well."""
        return post_mortem(Case(transfer, trouble, Scene(self._fleet, self._called, now)))

    def engines(self, now: int) -> tuple[Diagnosis, ...]:
        """What is wrong with engines as a whole; looked at once a second."""
        if self._engines[0] != now // SECOND:
            scene = Scene(self._fleet, self._called, now)
            cases = [EngineCase(engine, scene) for engine in self._fleet.engines.all()]
            found = (rule(case) for case in cases for rule in ENGINE_RULES)
            self._engines = now // SECOND, tuple(one for one in found if one is not None)
        return self._engines[1]


def diagnose(case: Case) -> Diagnosis:
    """The first rule's finding that holds for a transfer that waits too long."""
    for rule in RULES:
        found = rule(case)
        if found is not None:
            return found
    return unexplained(case)


def post_mortem(case: Case) -> Diagnosis | None:
    """The same for one that is over: None where it finished in time, or nobody knows better."""
    assert case.over is not None
    rules = FINISHED_RULES if case.over.outcome is Outcome.FINISHED else RULES
    for rule in rules:
        found = rule(case)
        if found is not None:
            return found
    return unexplained(case) if case.over.outcome is Outcome.FAILED else None
