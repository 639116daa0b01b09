"""Where in a recording one wants to go, as one says it and as it is found."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TypeAlias

import msgspec

from kvtrace.words import duration

SECOND = 1_000_000_000
_UNITS = {"ms": SECOND // 1000, "s": SECOND, "m": 60 * SECOND, "h": 3_600 * SECOND}
_DURATION = re.compile(r"([+\-−]?)((?:\d+(?:\.\d+)?(?:ms|[smh]))+)")
_PIECE = re.compile(r"(\d+(?:\.\d+)?)(ms|[smh])")
_SHARE = re.compile(r"(\d+(?:\.\d+)?)\s*%")
_TIME = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z?)")


class Position(msgspec.Struct, frozen=True):
    """So many nanoseconds after the recording's start."""

    position: int


class By(msgspec.Struct, frozen=True):
    """So many nanoseconds from where one is."""

    nanoseconds: int


class Share(msgspec.Struct, frozen=True):
    """A share of the whole, from 0 to 1."""

    share: float


class TimeOfDay(msgspec.Struct, frozen=True):
    """The first such time since the recording's start."""

    nanoseconds: int
    """Since midnight."""

    utc: bool = False


class Step(msgspec.Struct, frozen=True):
    """So many events from where one is."""

    events: int


class Named(msgspec.Struct, frozen=True):
    """The first event of a transfer whose id has this in it."""

    text: str


Target: TypeAlias = Position | By | Share | TimeOfDay | Step | Named


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """What a recording covers, and where one is in it."""

    started_at: int
    """Nanoseconds since the epoch."""

    length: int | None
    """Nanoseconds; None where only playing tells."""

    here: int = 0
    zone: tzinfo | None = None
    """Of the times of day; local where None."""


def target(text: str) -> Target:
    """What `1m30s`, `+5s`, `-5s`, `50%`, `12:03:41`, `12:03:41Z` or a part of an id means."""
    text = text.strip()
    if found := _SHARE.fullmatch(text):
        return Share(float(found[1]) / 100)
    if found := _TIME.fullmatch(text):
        hours, minutes, seconds, fraction = (found[n] or "0" for n in range(1, 5))
        whole = (int(hours) * 60 + int(minutes)) * 60 + int(seconds)
        return TimeOfDay(whole * SECOND + int(fraction.ljust(9, "0")), found[5] == "Z")
    if found := _DURATION.fullmatch(text):
        length = sum(round(float(n) * _UNITS[unit]) for n, unit in _PIECE.findall(found[2]))
        if found[1]:
            return By(length if found[1] == "+" else -length)
        return Position(length)
    return Named(text)


def found(wanted: Target, span: Span, first: Callable[[str], int | None]) -> int | str:
    """Nanoseconds since the start; or a sentence that says why it is not there.

    `first` finds the first event of a transfer by a part of its id.
    """
    match wanted:
        case Position(position=position):
            return _within(position, span)
        case By(nanoseconds=nanoseconds):
            # Who jumps past an end wants that end.
            return _clamped(span.here + nanoseconds, span)
        case Share(share=share):
            return _share(share, span)
        case TimeOfDay():
            return _time(wanted, span)
        case Step():
            return span.here
        case Named(text=text):
            at = first(text) if text else None
            return f"no transfer has {text!r} in its id" if at is None else at


def _within(position: int, span: Span) -> int | str:
    if span.length is not None and position > span.length:
        return f"the recording is only {duration(span.length)} long"
    return position


def _clamped(position: int, span: Span) -> int:
    return max(position if span.length is None else min(position, span.length), 0)


def _share(share: float, span: Span) -> int | str:
    if span.length is None:
        return "how long it is is not known, so there is no share of it: name a time, like 1m30s"
    if share > 1:
        return "a share is 0% to 100%"
    return round(span.length * share)


def _time(wanted: TimeOfDay, span: Span) -> int | str:
    if wanted.nanoseconds >= 24 * _UNITS["h"]:
        return "a time of day is 00:00:00 to 23:59:59"
    if not span.started_at:
        return "when it was recorded is not known: name a time since its start, like 1m30s"
    zone = UTC if wanted.utc else span.zone
    began = datetime.fromtimestamp(span.started_at // SECOND, zone).astimezone(zone)
    for day in (0, 1):
        midnight = began.replace(hour=0, minute=0, second=0) + timedelta(days=day)
        moment = int(midnight.timestamp()) * SECOND + wanted.nanoseconds
        position = moment - span.started_at
        if position >= 0 and (span.length is None or position <= span.length):
            return position
    return f"it is not in the recording, which {_covers(span, zone)}"


def _covers(span: Span, zone: tzinfo | None) -> str:
    first = datetime.fromtimestamp(span.started_at // SECOND, zone).strftime("%H:%M:%S")
    if span.length is None:
        return f"begins at {first}"
    end = (span.started_at + span.length) // SECOND
    return f"goes from {first} to {datetime.fromtimestamp(end, zone).strftime('%H:%M:%S')}"
