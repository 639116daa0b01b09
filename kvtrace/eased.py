"""What waited too long for a cause, and waits no more: what one look at the end cannot show."""

import msgspec

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis
from kvtrace.snapshot import Snapshot, Stalls

NAMED = 16
"""Transfers that are named of each cause."""

MOST = 100_000
"""Transfers that are remembered; beyond that the first are forgotten."""


class EasedLine(msgspec.Struct, frozen=True, kw_only=True):
    """One cause that transfers stalled for, and that is over for them."""

    cause: Cause
    count: int
    longest: int
    """Nanoseconds: the longest wait that was seen."""

    transfers: tuple[str, ...]
    """What they are called, the longest wait first; bounded."""

    worst: Diagnosis
    """Of the one that waited longest, as it was known then."""


class Eased:
    """Follows snapshots, and remembers who stalled and for what."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple[str, int, Diagnosis]] = {}
        self._before: dict[str, tuple[str, int, Diagnosis]] = {}
        """Of those that someone gave up: what was known until then."""

    def follow(self, snapshot: Snapshot | Stalls) -> None:
        """Take note of every transfer that has a diagnosis while it waits."""
        if not snapshot.diagnoses:
            return
        for row in snapshot.rows:
            found = snapshot.diagnoses.get(row.transfer.id)
            if found is None:
                continue
            key, known = row.transfer.id, self._seen.get(row.transfer.id)
            if found.cause is Cause.UNEXPLAINED and known is not None:
                found = known[2]
            if found.cause is _GIVEN_UP and known is not None and known[2].cause not in _NO_REASON:
                self._before[key] = known
            self._seen[key] = row.id, row.waited, found
        for kept in (self._seen, self._before):
            while len(kept) > MOST:
                del kept[next(iter(kept))]

    def lines(self, last: Snapshot) -> tuple[EasedLine, ...]:
        """Those that neither wait nor ended with a diagnosis, by cause, the longest wait first."""
        told = {done.transfer.id for done in last.done if done.diagnosis is not None}
        over: dict[Cause, list[tuple[str, int, Diagnosis]]] = {}
        for key, seen in self._seen.items():
            if key not in last.diagnoses and key not in told:
                over.setdefault(seen[2].cause, []).append(seen)
        for seen in self._before.values():
            over.setdefault(seen[2].cause, []).append(seen)
        lines = [_line(cause, sorted(seen, key=lambda s: -s[1])) for cause, seen in over.items()]
        return tuple(sorted(lines, key=lambda line: -line.longest))


def _line(cause: Cause, seen: list[tuple[str, int, Diagnosis]]) -> EasedLine:
    _, longest, worst = seen[0]
    names = tuple(name for name, _, _ in seen[:NAMED])
    return EasedLine(cause=cause, count=len(seen), longest=longest, transfers=names, worst=worst)


_GIVEN_UP = Cause.ABORTED_BLOCKS_HELD
_NO_REASON = frozenset((_GIVEN_UP, Cause.UNEXPLAINED))
