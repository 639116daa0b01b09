"""What is wrong as a report that a person can paste into an incident."""

import re
import textwrap
from collections.abc import Iterator, Sequence

from kvtrace import words
from kvtrace.diagnosed import CauseLine, Confidence, Diagnosis, Evidence
from kvtrace.eased import EasedLine
from kvtrace.report import link, losses, place
from kvtrace.snapshot import Snapshot

WIDTH = 96
NAMED = 6
"""Links and transfers that are named of each cause."""

HARD = "\N{NO-BREAK SPACE}"
QUOTED = re.compile(r"`[^`]{1,70}`")
UNIT = re.compile(r"(?<=\d) (?=(?:ns|µs|ms|s|B|kB|MB|GB|TB|MiB|GB/s)\b)")
"""The space between a number and its unit."""


def incident(snapshot: Snapshot, eased: Sequence[EasedLine] = ()) -> Iterator[str]:
    """The report, line by line; `eased` is what was wrong before."""
    totals = snapshot.totals
    yield (
        f"As of {words.date_and_time(snapshot.wall)}: {words.count(len(snapshot.rows))} in flight, "
        f"{words.count(totals.stalled)} stalled; {words.count(totals.finished)} finished, "
        f"{words.count(totals.failed)} failed, {words.count(totals.abandoned)} abandoned."
    )
    wrong = [line for line in snapshot.causes if not line.is_hint]
    if not wrong:
        yield "Nothing is wrong any more." if eased else "Nothing is wrong that kvtrace knows of."
    for number, line in enumerate(wrong, 1):
        yield ""
        yield from _cause(f"{number}.", line, snapshot)
    if eased:
        yield ""
        yield "Before that, and over since; each as it stood then:"
    for over in eased:
        yield ""
        yield from _eased(over, snapshot)
    hints = [line for line in snapshot.causes if line.is_hint]
    if hints:
        yield ""
        yield "What can make transfers slow:"
    for line in hints:
        yield ""
        yield from _cause("~ ", line, snapshot)
    yield ""
    yield f"Own view: {losses(snapshot.losses)}."


def _cause(number: str, line: CauseLine, snapshot: Snapshot) -> Iterator[str]:
    worst = line.worst
    yield f"{number} {worst.label}: {_how_many(line)}, since {_time(line.since, snapshot)}"
    yield from _found(worst, snapshot)
    named = [link(one, snapshot.names) for one in line.links[:NAMED]]
    yield from _told("ON   ", ", ".join(dict.fromkeys(named)) + _more(len(line.links)))
    if line.transfers:
        shown = [words.clean(one) for one in line.transfers[:NAMED]]
        yield from _told("OF   ", ", ".join(shown) + _more(line.waiting + line.ended))
    yield from _told("MORE ", f"kvtrace explain {line.cause}")


def _eased(line: EasedLine, snapshot: Snapshot) -> Iterator[str]:
    count = words.many(line.count, "transfer")
    waited = f"waited {'up to ' if line.count > 1 else ''}{words.duration(line.longest)}"
    when = f"{_time(line.since, snapshot)} to {_time(line.last, snapshot)}"
    yield f"-  {line.worst.label}: {count} {waited}, {when}"
    yield from _found(line.worst, snapshot)
    shown = [words.clean(one) for one in line.transfers[:NAMED]]
    yield from _told("OF   ", ", ".join(shown) + _more(line.count))
    yield from _told("MORE ", f"kvtrace explain {line.cause}")


def _found(found: Diagnosis, snapshot: Snapshot) -> Iterator[str]:
    """What happened to one transfer, what to do, what shows it, and how sure that is."""
    yield from _told("", found.sentence)
    yield from _told("DO   ", found.remedy)
    for one in found.evidence:
        yield from _told("SAW  ", _seen(one, snapshot))
    if found.confidence is not Confidence.HIGH:
        doubt = f": {found.doubt}" if found.doubt else ""
        yield from _told("SURE ", f"confidence {found.confidence}{doubt}")


def _how_many(line: CauseLine) -> str:
    parts = []
    if line.waiting:
        oldest = "" if line.oldest is None else f", the oldest for {words.wait(line.oldest)}"
        parts.append(f"{words.count(line.waiting)} waiting now{oldest}")
    if line.on_engines:
        parts.append(f"true now of {words.many(line.on_engines, 'engine')}")
    if line.ended:
        parts.append(f"{words.count(line.ended)} ended with it")
    return "; ".join(parts)


def _seen(one: Evidence, snapshot: Snapshot) -> str:
    when = _time(one.at, snapshot) if one.at is not None else "never" if one.missing else "–"
    where = "" if one.place is None else place(one.place, snapshot.names)
    return "  ".join(part for part in (when.ljust(12), where, one.event, one.text) if part)


def _time(at: int, snapshot: Snapshot) -> str:
    """The time of day; with the date where that is not the report's own."""
    wall = max(0, snapshot.wall - snapshot.at + at)
    told, today = words.date_and_time(wall), words.date_and_time(snapshot.wall)
    return words.moment_of_day(wall) if told[:10] == today[:10] else told


def _more(count: int) -> str:
    return f" and {words.count(count - NAMED)} more" if count > NAMED else ""


def _told(head: str, text: str) -> list[str]:
    return wrapped(f"   {head}", text)


def wrapped(head: str, text: str) -> list[str]:
    """The text in lines that fit a report, the first behind the head and the others below it.

    Ids, commands, and numbers with their units stay whole, so that they can be found and copied.
    """
    kept = QUOTED.sub(lambda found: found[0].replace(" ", HARD), text)
    lines = textwrap.wrap(
        UNIT.sub(HARD, kept),
        WIDTH,
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(HARD, " ") for line in lines]
