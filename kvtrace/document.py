"""The JSON form of a snapshot: stable keys, times in nanoseconds, sizes in bytes."""

from typing import TypeAlias

import msgspec

from kvtrace import findings
from kvtrace.model import Link, Mark, Place
from kvtrace.snapshot import Done, EngineLine, Losses, PhaseLine, Row, Snapshot, Totals
from kvtrace.split import Shares

VERSION = 1
"""Goes up when a key is renamed, removed or given another meaning; not when one is added."""

Json: TypeAlias = dict[str, object]


def encode(snapshot: Snapshot) -> str:
    """The snapshot as one line of JSON, without its line end."""
    return msgspec.json.encode(document(snapshot)).decode()


def document(snapshot: Snapshot) -> Json:
    """The snapshot as what `docs/output.md` tells."""
    return {
        "kvtrace": VERSION,
        "at": snapshot.at,
        "wall": snapshot.wall,
        "totals": totals(snapshot.totals),
        "oldest": snapshot.oldest,
        "phases": {str(line.phase): _phase(line) for line in snapshot.phases},
        "losses": losses(snapshot.losses),
        "engines": [_engine(line) for line in snapshot.engines],
        "names": snapshot.names,
        "transfers": [_transfer(row, snapshot) for row in snapshot.rows],
        "done": [_done(done, snapshot) for done in snapshot.done],
        "causes": findings.causes(snapshot),
        "events": snapshot.events,
        "rate": snapshot.rate,
    }


def totals(line: Totals) -> Json:
    """How transfers stand, each as a count."""
    return msgspec.structs.asdict(line)


def losses(line: Losses) -> Json:
    """What is known not to have been seen, each as a count."""
    return msgspec.structs.asdict(line)


def _phase(line: PhaseLine) -> Json:
    return {
        "waiting": line.waiting,
        "stalled": line.stalled,
        "count": line.count,
        "rate": line.rate,
        "p50": line.p50,
        "p99": line.p99,
    }


def _engine(line: EngineLine) -> Json:
    return {
        "id": line.id,
        "name": line.name,
        "roles": line.roles,
        "ranks": line.ranks,
        "state": line.state,
        "heard": line.heard,
        "in_flight": line.in_flight,
        "waited_for": line.waited_for,
        "running": line.running,
        "held_blocks": line.held_blocks,
        "blocks": line.blocks,
        "facts": dict(line.facts),
    }


def _transfer(row: Row, snapshot: Snapshot) -> Json:
    return {
        "id": row.id,
        "phase": row.phase,
        "waited": row.waited,
        "age": row.age,
        "stalled": row.stalled,
        "patience": row.patience,
        "waits_for": _place(row.waits_for),
        "link": _link(row.link),
        "ranks": list(row.ranks),
        "size": row.size,
        "ambiguous": row.ambiguous,
        "gone": row.gone,
        "requests": {
            "producer": row.transfer.producer.request if row.transfer.producer else None,
            "consumer": row.transfer.consumer.request if row.transfer.consumer else None,
        },
        "joined": row.transfer.joined,
        "diagnosis": findings.diagnosis(snapshot.diagnoses.get(row.transfer.id), snapshot),
    }


def _done(done: Done, snapshot: Snapshot) -> Json:
    return {
        "id": done.id,
        "outcome": done.outcome,
        "link": _link(done.link),
        "ended": _mark(done.ended),
        "took": done.took,
        "size": done.size,
        "phases": {str(phase): waited for phase, waited in done.phases},
        "shares": _shares(done.shares),
        "diagnosis": findings.diagnosis(done.diagnosis, snapshot),
    }


def _shares(split: Shares | None) -> Json | None:
    if split is None:
        return None
    return {
        "whole": split.whole,
        "error": split.error,
        "parts": {str(part): took for part, took in split.parts},
    }


def _place(place: Place | None) -> Json | None:
    if place is None:
        return None
    return {"engine": place.engine, "role": place.role, "rank": place.rank}


def _link(link: Link) -> Json:
    return {"producer": link.producer, "consumer": link.consumer}


def _mark(mark: Mark) -> Json:
    return {"at": mark.at, "wall": mark.wall, "clock": mark.clock}
