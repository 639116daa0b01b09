"""What is wrong as a report that a person can paste into an incident."""

import textwrap
from collections.abc import Iterator, Sequence

from kvtrace import words
from kvtrace.diagnosed import CauseLine, Confidence, Evidence
from kvtrace.eased import EasedLine
from kvtrace.report import link, losses, place
from kvtrace.snapshot import Snapshot

WIDTH = 96
NAMED = 6
"""Links and transfers that are named of each cause."""


def incident(snapshot: Snapshot, eased: Sequence[EasedLine] = ()) -> Iterator[str]:
    """The report, line by line; `eased` is what was wrong before."""
    totals = snapshot.totals
    yield (
        f"As of {words.moment_of_day(snapshot.wall)}: {words.count(len(snapshot.rows))} in flight, "
        f"{words.count(totals.stalled)} stalled; {words.count(totals.finished)} finished, "
        f"{words.count(totals.failed)} failed, {words.count(totals.abandoned)} abandoned."
    )
    if not snapshot.causes and eased:
        yield "Nothing is wrong any more."
    elif not snapshot.causes:
        yield "Nothing is wrong that kvtrace knows of."
    for number, line in enumerate(snapshot.causes, 1):
        yield ""
        yield from _cause(number, line, snapshot)
    if eased:
        yield ""
        yield "Before that, and over since:"
    for over in eased:
        yield from _eased(over)
    yield ""
    yield f"Own view: {losses(snapshot.losses)}."


def _cause(number: int, line: CauseLine, snapshot: Snapshot) -> Iterator[str]:
    worst = line.worst
    yield f"{number}. {worst.label}: {_how_many(line)}, since {_time(line.since, snapshot)}"
    yield from _told("", worst.sentence)
    yield from _told("DO   ", worst.remedy)
    for one in worst.evidence:
        yield from _told("SAW  ", _seen(one, snapshot))
    named = [link(one, snapshot.names) for one in line.links[:NAMED]]
    yield from _told("ON   ", ", ".join(dict.fromkeys(named)) + _more(len(line.links)))
    if line.transfers:
        shown = [words.clean(one) for one in line.transfers[:NAMED]]
        yield from _told("OF   ", ", ".join(shown) + _more(line.count))
    sure = f"confidence {worst.confidence}"
    doubt = f": {worst.doubt}" if worst.confidence is not Confidence.HIGH and worst.doubt else ""
    yield from _told("", f"{sure}{doubt}; more: kvtrace explain {line.cause}")


def _eased(line: EasedLine) -> Iterator[str]:
    count = words.many(line.count, "transfer")
    waited = f"waited up to {words.duration(line.longest)}"
    yield f"-  {line.worst.label}: {count} {waited}"
    yield from _told("", line.worst.sentence)
    yield from _told("DO   ", line.worst.remedy)
    shown = [words.clean(one) for one in line.transfers[:NAMED]]
    yield from _told("OF   ", ", ".join(shown) + _more(line.count))


def _how_many(line: CauseLine) -> str:
    parts = []
    if line.stalled:
        oldest = "" if line.oldest is None else f", the oldest for {words.wait(line.oldest)}"
        parts.append(f"{words.count(line.stalled)} now{oldest}")
    if line.ended:
        parts.append(f"{words.count(line.ended)} ended with it")
    return "; ".join(parts)


def _seen(one: Evidence, snapshot: Snapshot) -> str:
    when = _time(one.at, snapshot) if one.at is not None else "never" if one.missing else "–"
    when = when.ljust(12)
    where = "" if one.place is None else f"  {place(one.place, snapshot.names)}"
    return f"{when}{where}  {one.event}  {one.text}"


def _time(at: int, snapshot: Snapshot) -> str:
    return words.moment_of_day(max(0, snapshot.wall - snapshot.at + at))


def _more(count: int) -> str:
    return f" and {words.count(count - NAMED)} more" if count > NAMED else ""


def _told(head: str, text: str) -> list[str]:
    return wrapped(f"   {head}", text)


def wrapped(head: str, text: str) -> list[str]:
    """The text in lines that fit a report, the first behind the head and the others below it."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_long_words=False,
    )
