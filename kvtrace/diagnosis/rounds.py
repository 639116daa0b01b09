"""Goes round all transfers in trouble, and keeps what was found for as long as it can be true."""

from collections.abc import Callable

import msgspec

from kvtrace.causes import Cause
from kvtrace.courtesy import COURTESY
from kvtrace.diagnosed import CauseLine, Diagnosis, Evidence, presentable
from kvtrace.diagnosis.case import Case, Trouble
from kvtrace.diagnosis.engine_case import EngineCase
from kvtrace.diagnosis.history import History
from kvtrace.diagnosis.rules import ENGINE_RULES, FINISHED_RULES, RULES
from kvtrace.diagnosis.scene import Scene
from kvtrace.diagnosis.tally import Tally
from kvtrace.diagnosis.unexplained import unexplained
from kvtrace.diagnosis.well import is_well
from kvtrace.events import RequestFinished
from kvtrace.fleet import Fleet
from kvtrace.model import Outcome, Role
from kvtrace.snapshot import Done, Row
from kvtrace.transfer import Transfer

FRESH = 200
"""Transfers that are looked at anew each time; of the others those not seen yet, then some in
turn."""

IN_TURN = 100


class Findings(msgspec.Struct, frozen=True):
    """What is known to be wrong, as of one moment."""

    diagnoses: dict[str, Diagnosis]
    """Of each stalled transfer, by its id."""

    engines: tuple[Diagnosis, ...]
    """Of engines as a whole."""

    causes: tuple[CauseLine, ...]
    """Every cause that was named since we began."""


class Rounds:
    """The diagnoses of one fleet."""

    def __init__(self, fleet: Fleet, called: Callable[[str], str]) -> None:
        self._fleet = fleet
        self._called = called
        self._tally = Tally()
        self._history = History()
        self._turn = 0
        self._stalled: dict[str, Diagnosis] = {}

    def look(self, rows: tuple[Row, ...], began: Callable[[Row], int], now: int) -> Findings:
        """What is wrong, given every row, the worst first, and when its present wait began."""
        scene, stalled = self.scene(now), _stalled(rows)
        found = self._diagnosed(stalled, began, scene)
        wrong = self._wrong(scene)
        return Findings(found, wrong, self._tally.lines(stalled, found, wrong))

    def stalls(
        self, rows: tuple[Row, ...], began: Callable[[Row], int], now: int
    ) -> dict[str, Diagnosis]:
        """The same of the stalled transfers alone, without what is wrong with engines."""
        return self._diagnosed(_stalled(rows), began, self.scene(now))

    def _diagnosed(
        self, stalled: list[Row], began: Callable[[Row], int], scene: Scene
    ) -> dict[str, Diagnosis]:
        fresh = self._fresh(stalled)
        found: dict[str, Diagnosis] = {}
        for number, row in enumerate(stalled):
            name = row.transfer.id
            if number in fresh:
                COURTESY.give_way()
                trouble = Trouble(row.phase, began(row), row.patience, row.waits_for)
                found[name] = diagnose(Case(row.transfer, trouble, scene))
            elif name in self._stalled:
                found[name] = self._stalled[name]
        self._stalled = found
        return found

    def _fresh(self, stalled: list[Row]) -> set[int]:
        """Which of these are looked at now, by their place."""
        others = range(FRESH, len(stalled))
        unseen = [at for at in others if stalled[at].transfer.id not in self._stalled][:IN_TURN]
        spare = IN_TURN - len(unseen)
        turn = [others[(self._turn + n) % len(others)] for n in range(spare if others else 0)]
        self._turn += spare
        return {*range(min(FRESH, len(stalled))), *unseen, *turn}

    def over(self, transfer: Transfer, trouble: Trouble, scene: Scene) -> Diagnosis | None:
        """Why an ended transfer failed, was given up, or was slow; None where all was well."""
        return post_mortem(Case(transfer, trouble, scene))

    def ended(self, done: Done, now: int) -> None:
        """Count a transfer that ended, once."""
        self._tally.ended(done, now)
        if done.shares is not None:
            self._history.add(done.link, done.shares)

    def scene(self, now: int) -> Scene:
        """What rules may ask of the fleet as it is, for as long as it takes nothing in."""
        return Scene(self._fleet, self._called, now, self._history)

    def _wrong(self, scene: Scene) -> tuple[Diagnosis, ...]:
        """What is wrong with engines as a whole."""
        cases = [EngineCase(engine, scene) for engine in self._fleet.engines.all()]
        found = (rule(case) for case in cases for rule in ENGINE_RULES)
        return tuple(presentable(one) for one in found if one is not None)


def _stalled(rows: tuple[Row, ...]) -> list[Row]:
    """Those that stall; whom nobody will serve any more need not be waited for."""
    return [row for row in rows if row.stalled or row.gone]


def diagnose(case: Case) -> Diagnosis:
    """The first rule's finding that holds for a transfer that waits too long."""
    for rule in RULES:
        found = rule(case)
        if found is not None and found.cause is Cause.ABORTED_BLOCKS_HELD:
            found = _with_what_it_waited_for(found, case)
        if found is not None:
            return presentable(found)
    return presentable(unexplained(case))


def _with_what_it_waited_for(found: Diagnosis, case: Case) -> Diagnosis:
    """The same with what is known of the wait that the client did not sit out, if anything is."""
    before = diagnose(case.without(RequestFinished))
    if before.cause is Cause.UNEXPLAINED:
        return found
    known = {_key(one) for one in found.evidence}
    return msgspec.structs.replace(
        found,
        sentence=f"{found.sentence} Before that: {before.label}: {before.sentence}",
        remedy=f"{before.remedy} Restart {case.called(Role.CONSUMER)} to get its blocks back.",
        evidence=(*found.evidence, *(one for one in before.evidence if _key(one) not in known)),
        before=before,
    )


def _key(one: Evidence) -> tuple[str, int | None, bool]:
    return one.event, one.at, one.missing


def post_mortem(case: Case) -> Diagnosis | None:
    """The same for one that is over: None where it finished in time, or nobody knows better."""
    assert case.over is not None
    handoff = None if case.shares is None else case.shares.handoff
    if case.over.outcome is Outcome.FINISHED and is_well(case.transfer, case.scene.clocks, handoff):
        return None
    rules = FINISHED_RULES if case.over.outcome is Outcome.FINISHED else RULES
    for rule in rules:
        found = rule(case)
        if found is not None:
            return presentable(found)
    return presentable(unexplained(case)) if case.over.outcome is Outcome.FAILED else None
