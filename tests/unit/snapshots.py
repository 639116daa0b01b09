"""Makes snapshots by hand, with defaults."""

from typing import Any

from kvtrace.model import Link, Mark, Outcome, Phase, Place, Role
from kvtrace.snapshot import Done, EngineLine, Losses, PhaseLine, Row, Snapshot, Totals
from kvtrace.transfer import Transfer

SECOND = 1_000_000_000
WALL = 1_767_225_600 * SECOND
LINK = Link("prefill-0", "decode-0")


def row(name: str = "r1", *, transfer: Transfer | None = None, **others: Any) -> Row:
    """A transfer that waits for its blocks."""
    known: dict[str, Any] = {
        "phase": Phase.READINESS,
        "waited": SECOND,
        "age": 2 * SECOND,
        "stalled": False,
        "patience": 5 * SECOND,
        "waits_for": Place("prefill-0", Role.PRODUCER),
        "link": LINK,
        "ranks": (0, 1),
        "size": 0,
    }
    return Row(transfer=transfer or Transfer(id=name), id=name, **{**known, **others})


def done(name: str = "r0", **others: Any) -> Done:
    """A transfer that finished a second after it began."""
    known: dict[str, Any] = {
        "link": LINK,
        "outcome": Outcome.FINISHED,
        "ended": Mark(at=SECOND, wall=WALL, clock="boot", seen=SECOND),
        "at": SECOND,
        "took": SECOND,
        "size": 4_096,
        "phases": ((Phase.WRITE, SECOND),),
    }
    return Done(transfer=Transfer(id=name), id=name, **{**known, **others})


def engine(name: str = "P0", **others: Any) -> EngineLine:
    """An engine that is well."""
    known: dict[str, Any] = {
        "id": "prefill-0",
        "roles": "P",
        "ranks": 1,
        "in_flight": 1,
        "waited_for": 0,
        "heard": SECOND // 10,
        "state": "alive",
    }
    return EngineLine(name=name, **{**known, **others})


ENGINES = (engine(), engine("D0", id="decode-0", roles="D"))


def phase_line(phase: Phase, **others: Any) -> PhaseLine:
    """A phase that nothing waits in."""
    known: dict[str, Any] = {
        "waiting": 0,
        "stalled": 0,
        "rate": 0.0,
        "count": 0,
        "p50": None,
        "p99": None,
    }
    return PhaseLine(phase=phase, **{**known, **others})


def snapshot(after: float = 0, **others: Any) -> Snapshot:
    """So many seconds after the first; two engines, and nothing in flight."""
    passed = round(after * SECOND)
    known: dict[str, Any] = {
        "at": SECOND + passed,
        "wall": WALL + passed,
        "totals": Totals(),
        "oldest": None,
        "phases": tuple(phase_line(phase) for phase in Phase),
        "rows": (),
        "done": (),
        "engines": ENGINES,
        "names": {"prefill-0": "P0", "decode-0": "D0"},
        "losses": Losses(),
        "events": 0,
        "rate": 0.0,
    }
    return Snapshot(**{**known, **others})
