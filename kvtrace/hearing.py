"""Which events of each process we have heard, in bounded room."""

from bisect import bisect_left

_KEPT = 1024
"""Gaps between numbers heard that are kept for one process before the lowest is given up."""


class Hearing:
    """Tells an event heard for the first time from one heard again."""

    def __init__(self) -> None:
        self._heard: dict[str, tuple[list[int], list[int]]] = {}
        """For each process the first and the last number of each stretch, in order."""

    def is_new(self, process: str, seq: int) -> bool:
        """Whether this is the first time; False for ever after.

        What fills a gap that was given up, a thousand gaps ago, is taken for a repeat.
        """
        heard = self._heard.get(process)
        if heard is None:
            self._heard[process] = [seq], [seq]
            return True
        firsts, lasts = heard
        if seq == lasts[-1] + 1:
            lasts[-1] = seq
            return True
        return _fill(firsts, lasts, seq)


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
