"""Counts each transfer that ended, and keeps the last of them with what was wrong."""

from itertools import islice

import msgspec

from kvtrace.causes import Cause
from kvtrace.clocks import Clocks
from kvtrace.courtesy import COURTESY
from kvtrace.diagnosis.case import trouble_of
from kvtrace.diagnosis.rounds import Rounds
from kvtrace.diagnosis.scene import Scene
from kvtrace.diagnosis.well import is_well
from kvtrace.ended import done
from kvtrace.ending import seen_from_start
from kvtrace.fleet import Fleet
from kvtrace.flow import Flow
from kvtrace.model import Outcome
from kvtrace.phases import Stretch
from kvtrace.snapshot import Done
from kvtrace.transfer import Transfer

SHOWN = 200
"""Ended transfers in a snapshot."""


class Departed:
    """The transfers that ended."""

    def __init__(self, fleet: Fleet, rounds: Rounds, flow: Flow) -> None:
        self._fleet = fleet
        self._rounds = rounds
        self._flow = flow
        self._done: dict[str, tuple[Transfer, Done]] = {}
        self.blamed: dict[str, Cause] = {}
        """What was named of those that were counted last, by their id."""

    def count(self, at: int, clocks: Clocks) -> None:
        """Count those that ended since this was last done."""
        scene = self._rounds.scene(at)
        self.blamed = {}
        for name in self._fleet.take_ended():
            COURTESY.give_way()
            transfer = self._fleet.table.ended[name]
            if seen_from_start(transfer):
                made, phases = self._made(name, scene, clocks)
                self._done[name] = transfer, made
                self._rounds.ended(made, at)
                if made.diagnosis is not None:
                    self.blamed[name] = made.diagnosis.cause
                self._flow.passed(phases, made.outcome is Outcome.FINISHED)
        # Where nobody looks for long, as when a recording is looked through, none is kept in vain.
        if len(self._done) > 4 * SHOWN:
            self._done = dict(islice(self._done.items(), len(self._done) - 2 * SHOWN, None))

    def latest(self, at: int, clocks: Clocks) -> tuple[Done, ...]:
        """The last to end, newest first, with what was learned of them since."""
        self.keep(at, clocks)
        found = (made for _, made in self._done.values())
        return tuple(sorted(found, key=lambda d: -clocks.instant(d.ended)))

    def keep(self, at: int, clocks: Clocks, *, though_well: bool = True) -> None:
        """Work out anew what became of the last, where more was told of them since.

        Of those that are plainly well it is the same whenever that is done.
        """
        kept = {}
        scene = self._rounds.scene(at)
        last = list(islice(reversed(self._fleet.table.ended.items()), SHOWN))
        for name, transfer in reversed(last):
            known = self._done.get(name)
            if known is None or known[0] is not transfer:
                if not seen_from_start(transfer):
                    continue
                if not though_well and self._is_well(name, transfer, clocks):
                    continue
                known = transfer, self._made(name, scene, clocks)[0]
            kept[name] = known
        self._done = kept

    def forget(self) -> None:
        """Drop what was worked out by clocks that are known better now."""
        self._done.clear()

    def _made(self, name: str, scene: Scene, clocks: Clocks) -> tuple[Done, tuple[Stretch, ...]]:
        """What is kept of a transfer that ended, and why it ended so."""
        transfer, over = self._fleet.table.ended[name], self._fleet.table.endings[name]
        made, phases = done(transfer, over, clocks)
        found = self._rounds.over(transfer, trouble_of(made, over, phases[-1]), scene)
        return msgspec.structs.replace(made, diagnosis=found) if found else made, phases

    def _is_well(self, name: str, transfer: Transfer, clocks: Clocks) -> bool:
        over = self._fleet.table.endings[name]
        return over.outcome is Outcome.FINISHED and is_well(transfer, clocks)
