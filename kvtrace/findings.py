"""The JSON form of what was found: causes and diagnoses, with stable keys."""

from collections.abc import Iterable
from typing import TypeAlias

from kvtrace.causes import ABOUT
from kvtrace.diagnosed import CauseLine, Diagnosis, Evidence
from kvtrace.eased import EasedLine
from kvtrace.model import Link, Place
from kvtrace.snapshot import Snapshot

Json: TypeAlias = dict[str, object]


def causes(snapshot: Snapshot) -> list[Json]:
    """Every cause that was named, what does most harm first."""
    return [_cause(line, snapshot) for line in snapshot.causes]


def eased(lines: Iterable[EasedLine], snapshot: Snapshot) -> list[Json]:
    """What transfers stalled for and wait for no more, in the order of time."""
    return [
        {
            "cause": line.cause,
            "label": line.worst.label,
            "count": line.count,
            "longest": line.longest,
            "since": line.since,
            "last": line.last,
            "transfers": list(line.transfers),
            "worst": diagnosis(line.worst, snapshot),
        }
        for line in lines
    ]


def diagnosis(found: Diagnosis | None, snapshot: Snapshot) -> Json | None:
    """One diagnosis; None where there is none."""
    if found is None:
        return None
    return {
        "cause": found.cause,
        "label": found.label,
        "kind": found.kind,
        "sentence": found.sentence,
        "remedy": found.remedy,
        "confidence": found.confidence,
        "doubt": found.doubt,
        "since": found.since,
        "engines": list(found.engines),
        "link": _link(found.link),
        "evidence": [_evidence(one, snapshot) for one in found.evidence],
        "before": diagnosis(found.before, snapshot),
    }


def _cause(line: CauseLine, snapshot: Snapshot) -> Json:
    return {
        "cause": line.cause,
        "label": ABOUT[line.cause].label,
        "kind": ABOUT[line.cause].kind,
        "modes": list(ABOUT[line.cause].modes),
        "stalled": line.stalled,
        "on_engines": line.on_engines,
        "hint": line.is_hint,
        "ended": line.ended,
        "since": line.since,
        "last": line.last,
        "oldest": line.oldest,
        "links": [_link(link) for link in line.links],
        "engines": list(line.engines),
        "transfers": list(line.transfers),
        "worst": diagnosis(line.worst, snapshot),
    }


def _evidence(one: Evidence, snapshot: Snapshot) -> Json:
    return {
        "text": one.text,
        "event": one.event,
        "missing": one.missing,
        "at": one.at,
        "wall": None if one.at is None else snapshot.wall - snapshot.at + one.at,
        "place": _place(one.place),
    }


def _place(place: Place | None) -> Json | None:
    if place is None:
        return None
    return {"engine": place.engine, "role": place.role, "rank": place.rank}


def _link(link: Link) -> Json:
    return {"producer": link.producer, "consumer": link.consumer}
