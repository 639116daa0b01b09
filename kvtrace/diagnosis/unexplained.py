"""What is said where no rule knows the cause: what was seen last, and what was expected next."""

from kvtrace.causes import Cause
from kvtrace.diagnosed import Confidence, Diagnosis, Evidence
from kvtrace.diagnosis.case import Case
from kvtrace.missing import missing
from kvtrace.model import Role
from kvtrace.transfer import Half
from kvtrace.wire import kind
from kvtrace.words import duration, event

KEEP = "kvtrace record unexplained.kvtrace.gz --dead 24h --seconds 5"
"""What a person runs so that others can look into it; a recording of it does as well."""


def unexplained(case: Case) -> Diagnosis:
    """The last event seen on each side, and the step that was expected next."""
    seen = [_last(case, half) for half in (case.transfer.producer, case.transfer.consumer)]
    evidence = [one for one in seen if one is not None]
    due = next(iter(missing(case.transfer, case.scene.clocks)), None)
    expected = "nothing that we know of"
    if due is not None:
        expected = f"{event(due.name)} at {case.place(due.place)}"
        evidence.append(case.never(due.name, f"Expected next was {event(due.name)}.", due.place))
    shown = [one for one in evidence if one.at is not None]
    nothing = Evidence(text="Nothing was told of it.", event="nothing")
    last = max(shown, key=lambda one: one.at or 0, default=nothing)
    unheard = [case.called(role) for role in Role if not case.hears(role)]
    doubt = f"nothing is heard of {' and '.join(unheard)}" if unheard else "no rule knows this"
    return Diagnosis(
        transfer=case.transfer.id,
        cause=Cause.UNEXPLAINED,
        sentence=f"Last seen: {event(last.event)} at {case.place(last.place)}. "
        f"Expected next: {expected}.",
        remedy=f"Read the log of {case.place(due.place if due else last.place)} from "
        f"{duration(case.waited)} ago; keep what is known with `{KEEP}` on the hosts of both "
        "engines, and report it as an issue of kvtrace, so that it gets a name.",
        evidence=tuple(evidence),
        link=case.link,
        since=case.trouble.since,
        confidence=Confidence.NONE,
        doubt=doubt,
        engines=tuple(dict.fromkeys(e for e in (case.link.producer, case.link.consumer) if e)),
    )


def _last(case: Case, half: Half | None) -> Evidence | None:
    if half is None or not half.told:
        return None
    told = max(half.told.values(), key=lambda one: (one.mark.at, one.seq))
    return Evidence(
        text=f"The last that {case.scene.called(half.engine)} told was {event(kind(told.event))}.",
        event=kind(told.event),
        at=case.scene.clocks.instant(told.mark),
        place=told.place,
    )
