"""Which events of each process we have heard, in bounded room."""

_KEPT = 1024
"""Numbers out of order that are kept for one process before the gap below them is given up."""


class Hearing:
    """Tells an event heard for the first time from one heard again."""

    def __init__(self) -> None:
        self._upto: dict[str, int] = {}
        self._beyond: dict[str, set[int]] = {}

    def is_new(self, process: str, seq: int) -> bool:
        """Whether this is the first time; False for ever after.

        What comes more than a thousand events late is taken for a repeat.
        """
        upto = self._upto.get(process, 0)
        if seq == upto + 1:
            self._upto[process] = seq
            if self._beyond.get(process):
                self._close_up(process)
            return True
        if seq <= upto:
            return False
        beyond = self._beyond.setdefault(process, set())
        if seq in beyond:
            return False
        beyond.add(seq)
        if len(beyond) > _KEPT:
            self._upto[process] = sorted(beyond)[_KEPT // 2]
            self._close_up(process)
        return True

    def _close_up(self, process: str) -> None:
        beyond = self._beyond[process]
        upto = self._upto[process]
        while upto + 1 in beyond:
            upto += 1
        self._upto[process] = upto
        self._beyond[process] = {seq for seq in beyond if seq > upto}
