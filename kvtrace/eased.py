"""What waited too long for a cause, and waits no more: what one look at the end cannot show."""

import msgspec

from kvtrace.causes import Cause
from kvtrace.diagnosed import Diagnosis
from kvtrace.snapshot import Snapshot, Stalls

NAMED = 16
"""Transfers that are named of each cause."""

MOST = 100_000
"""Causes of transfers that are remembered; beyond that the first are forgotten."""

WEAK = (Cause.UNEXPLAINED, Cause.WATCHDOG_ONLY_LOGS)
"""What is said where nothing better is known, the weakest first."""


class EasedLine(msgspec.Struct, frozen=True, kw_only=True):
    """One cause that transfers stalled for, and that is over for them."""

    cause: Cause
    count: int
    longest: int
    """Nanoseconds: the longest wait that was seen."""

    since: int
    """When the first of these waits began, in nanoseconds of our clock."""

    last: int
    """When any was seen last."""

    transfers: tuple[str, ...]
    """What they are called, the longest wait first; bounded."""

    worst: Diagnosis
    """Of the one that waited longest, as it was known then."""


class _Seen(msgspec.Struct, frozen=True):
    """What one transfer waited for, when it was seen last."""

    called: str
    waited: int
    since: int
    """When its wait began where the cause was named first."""

    at: int
    found: Diagnosis


class Eased:
    """Follows snapshots, and remembers who stalled and for what."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, Cause], _Seen] = {}
        self._ended: dict[str, Cause] = {}
        """What was named of transfers that ended."""

    def follow(self, snapshot: Snapshot | Stalls) -> None:
        """Take note of every transfer that has a diagnosis while it waits."""
        for row in snapshot.rows if snapshot.diagnoses else ():
            found = snapshot.diagnoses.get(row.transfer.id)
            if found is not None:
                key = row.transfer.id, found.cause
                known = self._seen.get(key)
                since = found.since if known is None else known.since
                at = found.since + row.waited
                self._seen[key] = _Seen(row.id, row.waited, since, at, found)
        self._ended.update(snapshot.ended)
        while len(self._seen) > MOST:
            del self._seen[next(iter(self._seen))]
        while len(self._ended) > MOST:
            del self._ended[next(iter(self._ended))]

    def lines(self, last: Snapshot) -> tuple[EasedLine, ...]:
        """Every cause that was named of a transfer and is not told of it now, the first first.

        What is said for want of a better one is left out where a better one is known.
        """
        told = self._ended.copy()
        told |= {one.transfer.id: one.diagnosis.cause for one in last.done if one.diagnosis}
        told |= {key: one.cause for key, one in last.diagnoses.items()}
        best: dict[str, int] = {}
        for key, cause in (*self._seen, *told.items()):
            best[key] = max(best.get(key, 0), _strength(cause))
        beside = self._told_beside(last)
        over: dict[Cause, list[_Seen]] = {}
        for (key, cause), seen in self._seen.items():
            is_told = told.get(key) is cause or (key, cause) in beside
            if not is_told and _strength(cause) in (best[key], len(WEAK)):
                over.setdefault(cause, []).append(seen)
        lines = [
            _line(cause, sorted(seen, key=lambda s: -s.waited)) for cause, seen in over.items()
        ]
        return tuple(sorted(lines, key=lambda line: line.since))

    def _told_beside(self, last: Snapshot) -> set[tuple[str, Cause]]:
        """What diagnoses of transfers that were given up tell of the time before."""
        shown = {line.worst.before.cause for line in last.causes if line.worst.before is not None}
        now = {
            (key, one.before.cause) for key, one in last.diagnoses.items() if one.before is not None
        }
        then = {
            (key, seen.found.before.cause)
            for (key, _), seen in self._seen.items()
            if seen.found.before is not None and key not in last.diagnoses
        }
        return {(key, cause) for key, cause in now if cause in shown} | then


def _strength(cause: Cause) -> int:
    return WEAK.index(cause) if cause in WEAK else len(WEAK)


def _line(cause: Cause, seen: list[_Seen]) -> EasedLine:
    worst = seen[0]
    return EasedLine(
        cause=cause,
        count=len(seen),
        longest=worst.waited,
        since=min(one.since for one in seen),
        last=max(one.at for one in seen),
        transfers=tuple(one.called for one in seen[:NAMED]),
        worst=worst.found,
    )
