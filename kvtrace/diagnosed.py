"""What a rule finds: a cause, its evidence, and what a person should do about it."""

from enum import StrEnum

import msgspec

from kvtrace.causes import ABOUT, Cause, Kind
from kvtrace.model import Link, Place
from kvtrace.words import clean

LONGEST = 600
"""Characters of a text; an error can bring thousands, and its beginning tells what it is."""


class Confidence(StrEnum):
    """How sure the cause is."""

    HIGH = "high"
    """All that the cause needs was seen."""

    LOW = "low"
    """Something that could speak against it was not seen; `doubt` says what."""

    NONE = "none"
    """No cause is known: only what was seen last, and what was expected next."""


class Evidence(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A fact that supports a cause, and when it came true."""

    text: str
    """A short sentence in the past tense."""

    event: str = ""
    """The name of the event that tells it, or of the one that is missing."""

    at: int | None = None
    """Nanoseconds of our clock; None for what has not happened."""

    place: Place | None = None
    missing: bool = False
    """Whether it is evidence by not having happened."""


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Why one transfer, or one engine, is in trouble."""

    transfer: str
    """Its id; empty where it is about an engine or a link as a whole."""

    cause: Cause
    sentence: str
    """What happened to this transfer, with places and numbers; at most two lines."""

    remedy: str
    """An imperative: on which side, the setting by its name, and the value in force."""

    evidence: tuple[Evidence, ...]
    link: Link
    since: int
    """Nanoseconds of our clock: when the trouble began."""

    confidence: Confidence = Confidence.HIGH
    doubt: str = ""
    """Why the confidence is not high."""

    engines: tuple[str, ...] = ()
    """Ids of the engines that take part in it, the culprit first."""

    before: "Diagnosis | None" = None
    """What it would wait for now if its client had not given it up, where that is known."""

    @property
    def label(self) -> str:
        """At most 24 characters."""
        return ABOUT[self.cause].label

    @property
    def kind(self) -> Kind:
        """What it does to the transfer."""
        return ABOUT[self.cause].kind


def presentable(found: Diagnosis) -> Diagnosis:
    """The same, with its evidence in the order in which it happened, what never did last.

    Nothing is left in its texts that a terminal would obey, and nothing without end.

    Names of engines, errors and settings come from outside, and rules put them into sentences.
    """
    replace = msgspec.structs.replace
    return replace(
        found,
        sentence=_said(found.sentence),
        remedy=_said(found.remedy),
        doubt=_said(found.doubt),
        evidence=tuple(
            replace(one, text=_said(one.text)) for one in sorted(found.evidence, key=_when)
        ),
    )


def _when(one: Evidence) -> tuple[bool, bool, int]:
    """What is known without an instant comes between what has one and what never happened."""
    return one.missing, one.at is None, one.at or 0


def _said(text: str) -> str:
    return clean(text if len(text) <= LONGEST else f"{text[: LONGEST - 2]}….")


class CauseLine(msgspec.Struct, frozen=True, kw_only=True):
    """One cause over all transfers, and engines, that it was named for."""

    cause: Cause
    stalled: int = 0
    """Transfers that wait for it now, and engines that it is true of now."""

    on_engines: int = 0
    """Those of them that are engines."""

    ended: int = 0
    """Transfers that ended with it, since we began."""

    since: int = 0
    """When it began, in nanoseconds of our clock."""

    last: int = 0
    """When it was last true: now, where any wait, else when the last of them ended."""

    oldest: int | None = None
    """Nanoseconds: the longest present wait; None where none waits."""

    links: tuple[Link, ...] = ()
    """Those it was named on, the last first; bounded."""

    engines: tuple[str, ...] = ()
    """Ids, the last first; bounded."""

    transfers: tuple[str, ...] = ()
    """What some of them are called, the last first; bounded."""

    worst: Diagnosis
    """Of the transfer that waits longest, else of the last that ended."""

    @property
    def count(self) -> int:
        """Everything that it was named for."""
        return self.stalled + self.ended

    @property
    def waiting(self) -> int:
        """Transfers that wait for it now."""
        return self.stalled - self.on_engines

    @property
    def is_hint(self) -> bool:
        """Whether it only could make transfers slow, and was named for none."""
        return ABOUT[self.cause].kind is Kind.SLOW and not self.transfers
