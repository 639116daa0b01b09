"""Which events of each process we have heard, in bounded room."""

from bisect import bisect_left
from typing import TypeAlias

_KEPT = 1024
"""Gaps between numbers heard that are kept for one process before the lowest is given up."""

PROCESSES = 8_192
"""Processes, and as many more, that are remembered; those not heard for longest give way."""

STRETCHES = 65_536
"""Stretches of numbers, and as many more, of all processes together."""

_Heard: TypeAlias = tuple[list[int], list[int]]


class Hearing:
    """Tells an event heard for the first time from one heard again."""

    def __init__(self, processes: int = PROCESSES, stretches: int = STRETCHES) -> None:
        self._limits = (processes, stretches)
        self._heard: dict[str, _Heard] = {}
        """For each process the first and the last number of each stretch, in order."""

        self._earlier: dict[str, _Heard] = {}
        """The same of processes that were not heard since there was no more room."""

        self._stretches = 0

    def is_new(self, process: str, seq: int) -> bool:
        """Whether this is the first time; False for ever after.

        What fills a gap that was given up, a thousand gaps ago, is taken for a repeat; and what a
        process says again after thousands of others spoke, for new.
        """
        heard = self._heard.get(process)
        if heard is None:
            heard = self._meet(process)
        firsts, lasts = heard
        if lasts and seq == lasts[-1] + 1:
            lasts[-1] = seq
            return True
        before = len(firsts)
        new = _fill(firsts, lasts, seq)
        self._stretches += len(firsts) - before
        return new

    def _meet(self, process: str) -> _Heard:
        """What was heard of it before, which may be nothing."""
        known = self._earlier.pop(process, None)
        if len(self._heard) >= self._limits[0] or self._stretches >= self._limits[1]:
            self._earlier, self._heard, self._stretches = self._heard, {}, 0
        heard = self._heard[process] = known or ([], [])
        self._stretches += len(heard[0])
        return heard


def _fill(firsts: list[int], lasts: list[int], seq: int) -> bool:
    """Take in a number that does not follow the highest; whether it was not there yet."""
    above = bisect_left(lasts, seq)
    if above < len(lasts) and firsts[above] <= seq:
        return False
    follows = above > 0 and lasts[above - 1] == seq - 1
    precedes = above < len(firsts) and firsts[above] == seq + 1
    if follows and precedes:
        del lasts[above - 1], firsts[above]
    elif follows:
        lasts[above - 1] = seq
    elif precedes:
        firsts[above] = seq
    else:
        firsts.insert(above, seq)
        lasts.insert(above, seq)
    if len(firsts) > _KEPT:
        del lasts[0], firsts[1]
    return True
