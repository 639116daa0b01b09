"""The filter language: what one types to see fewer transfers or events."""

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

import msgspec

from kvtrace.causes import Cause
from kvtrace.model import Outcome, Phase


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """What a filter looks at: one transfer, or one event."""

    ids: tuple[str, ...] = ()
    producer: tuple[str, ...] = ()
    """All that the engine is called, its name on screen and its id."""

    consumer: tuple[str, ...] = ()
    phase: str = ""
    cause: str = ""
    """What it is diagnosed with, by name and label; empty where nothing is wrong."""

    outcome: str = ""
    """`finished`, `failed` or `abandoned`; `waiting` or `stalled` while in flight."""

    age: int = 0
    """Nanoseconds."""

    waited: int = 0
    size: int = 0
    """Bytes."""

    rank: int | None = None
    event: str = ""
    """The event's name in words, of an event."""

    told: str = ""
    """Its attributes in words."""


class Problem(msgspec.Struct, frozen=True):
    """Why a filter cannot be understood, as a sentence."""

    said: str


Test: TypeAlias = Callable[[Subject], bool]


class Filter(msgspec.Struct, frozen=True):
    """What was typed, and the tests that a subject has to pass, all of them."""

    text: str = ""
    tests: tuple[Test, ...] = ()

    def fits(self, subject: Subject) -> bool:
        """Whether the subject is to be seen."""
        return all(test(subject) for test in self.tests)


ALL = Filter()
"""Hides nothing."""

PHASES = tuple(phase.value for phase in Phase)
OUTCOMES = (*(outcome.value for outcome in Outcome), "waiting", "stalled")
NUMBERS = ("age", "waited", "size")
WORDS = ("phase", "cause", "outcome", "engine", "link", "id", "event", "rank")
CAUSES = tuple(cause.value for cause in Cause)

_COMPARED = re.compile(r"(age|waited|size)(>|<)(.*)", re.IGNORECASE)
_NAMED = re.compile(r"([A-Za-z_]+):(.*)")
_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)\s*([a-zµ]*)", re.IGNORECASE | re.ASCII)
_TIMES = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9}
_TIMES |= {"": 10**9, "h": 3_600 * 10**9, "d": 86_400 * 10**9}
_SIZES = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}


def parse(text: str) -> Filter | Problem:
    """The filter that was typed: words with spaces between, each of which must hold."""
    tests = []
    for word in text.split():
        found = _word(word[1:]) if word.startswith("-") and len(word) > 1 else _word(word)
        if isinstance(found, Problem):
            return found
        tests.append(_not(found) if word.startswith("-") and len(word) > 1 else found)
    return Filter(text.strip(), tuple(tests))


def complete(text: str, engines: Sequence[str] = ()) -> tuple[str, ...]:
    """What the text could become, its last word completed; most useful first."""
    before, space, word = text.rpartition(" ")
    sign = "-" if word.startswith("-") else ""
    typed = word.removeprefix("-")
    if not typed:
        return ()
    lead = f"{before}{space}{sign}"
    found = [one for one in _options(typed, engines) if one.lower().startswith(typed.lower())]
    return tuple(lead + one for one in found if one != typed)


def _options(typed: str, engines: Sequence[str]) -> list[str]:
    name, colon, rest = typed.partition(":")
    if not colon:
        fields = [f"{word}:" for word in WORDS]
        return [*fields, *(f"{number}>" for number in NUMBERS), *engines]
    values: Sequence[str] = {
        "phase": PHASES,
        "cause": CAUSES,
        "outcome": OUTCOMES,
        "engine": engines,
    }.get(name.lower(), ())
    if name.lower() == "link":
        producer, arrow, _ = rest.partition(">")
        values = [f"{producer}>{one}" for one in engines] if arrow else [f"{e}>" for e in engines]
    return [f"{name}:{value}" for value in values]


def _word(word: str) -> Test | Problem:
    if word == "!":
        return lambda subject: subject.outcome == "stalled"
    compared = _COMPARED.fullmatch(word)
    if compared is not None:
        return _compared(compared[1].lower(), compared[2], compared[3])
    named = _NAMED.fullmatch(word)
    if named is not None and named[1].lower() in _MAKERS:
        return _MAKERS[named[1].lower()](named[2])
    if named is not None and not named[2].startswith("/") and named[1].isalpha():
        return Problem(f"there is no {named[1]}: to filter by; there are {', '.join(WORDS)}")
    if ">" in word:
        return _link(word)
    return _text(word)


def _not(test: Test) -> Test:
    return lambda subject: not test(subject)


def _compared(field: str, sign: str, given: str) -> Test | Problem:
    units = _SIZES if field == "size" else _TIMES
    quantity = _QUANTITY.fullmatch(given)
    if quantity is None or quantity[2].lower() not in units or len(quantity[1]) > 20:
        example = "a size, like 10MB or 1GB" if field == "size" else "a time, like 30s or 2m"
        return Problem(f"{field} wants {example}")
    limit = float(quantity[1]) * units[quantity[2].lower()]
    if sign == ">":
        return lambda subject: bool(getattr(subject, field) > limit)
    return lambda subject: bool(getattr(subject, field) < limit)


def _phase(given: str) -> Test | Problem:
    letters = {phase.letter.lower(): phase.value for phase in Phase}
    wanted = letters.get(given.lower()) or _only(given, PHASES)
    if wanted is None:
        return Problem(f"phase wants {', '.join(PHASES[:-1])} or {PHASES[-1]}")
    return lambda subject: subject.phase == wanted


def _cause(given: str) -> Test | Problem:
    wanted = given.casefold()
    if not any(wanted in cause for cause in CAUSES):
        return Problem("cause wants a part of a cause's name, like cause:lease")
    return lambda subject: bool(subject.cause) and wanted in subject.cause


def _outcome(given: str) -> Test | Problem:
    wanted = _only(given, OUTCOMES)
    if wanted is None:
        return Problem(f"outcome wants {', '.join(OUTCOMES[:-1])} or {OUTCOMES[-1]}")
    if wanted == "waiting":
        return lambda subject: subject.outcome in ("waiting", "stalled")
    return lambda subject: subject.outcome == wanted


def _only(given: str, options: Sequence[str]) -> str | None:
    """The one option that begins like that."""
    found = [one for one in options if given and one.startswith(given.lower())]
    return found[0] if len(found) == 1 else None


def _engine(given: str) -> Test | Problem:
    if not given:
        return Problem("engine wants a name, like engine:P1")
    wanted = given.casefold()
    return lambda subject: _is(wanted, subject.producer) or _is(wanted, subject.consumer)


def _link(given: str) -> Test | Problem:
    producer, arrow, consumer = given.partition(">")
    if not arrow or not (producer or consumer):
        return Problem("link wants two engines, like link:P1>D3")
    left, right = producer.casefold(), consumer.casefold()
    return lambda subject: (
        (not left or _is(left, subject.producer)) and (not right or _is(right, subject.consumer))
    )


def _is(wanted: str, names: Sequence[str]) -> bool:
    return any(name.casefold() == wanted for name in names)


def _id(given: str) -> Test | Problem:
    if not given:
        return Problem("id wants a part of an id, like id:71cf")
    wanted = given.casefold()
    return lambda subject: any(wanted in name.casefold() for name in subject.ids)


def _event(given: str) -> Test | Problem:
    if not given:
        return Problem("event wants a part of its name, like event:write")
    wanted = given.casefold().replace(".", " ").replace("_", " ")
    return lambda subject: wanted in subject.event


def _rank(given: str) -> Test | Problem:
    if not (given.isascii() and given.isdecimal() and len(given) < 7):
        return Problem("rank wants a number, like rank:1")
    wanted = int(given)
    return lambda subject: subject.rank == wanted


def _text(given: str) -> Test:
    wanted = given.casefold()

    def fits(subject: Subject) -> bool:
        if any(wanted in name.casefold() for name in subject.ids):
            return True
        if _is(wanted, subject.producer) or _is(wanted, subject.consumer):
            return True
        return wanted in subject.event or wanted in subject.told.casefold()

    return fits


_MAKERS: dict[str, Callable[[str], Test | Problem]] = {
    "phase": _phase,
    "cause": _cause,
    "outcome": _outcome,
    "engine": _engine,
    "link": _link,
    "id": _id,
    "event": _event,
    "rank": _rank,
}
