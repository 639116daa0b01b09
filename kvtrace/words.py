"""Numbers, times and names from outside, in the words that every front end uses for them."""

import unicodedata
from collections.abc import Sequence
from datetime import datetime, tzinfo

UNKNOWN = "–"
"""Stands for a value that is not known."""

MINUS = "−"

_MICROSECOND, _MILLISECOND, _SECOND = 1_000, 1_000_000, 1_000_000_000
_MINUTE, _HOUR, _DAY = 60 * _SECOND, 3_600 * _SECOND, 86_400 * _SECOND
_UNITS = ((_SECOND, "s"), (_MILLISECOND, "ms"), (_MICROSECOND, "µs"), (1, "ns"))


def duration(nanoseconds: int | None) -> str:
    """Three digits with a unit below a minute, two units from there up: `3.14 ms`, `4m 12s`.

    At most 7 columns for what is not negative; `–` for None.
    """
    if nanoseconds is None:
        return UNKNOWN
    if nanoseconds < 0:
        return MINUS + duration(-nanoseconds)
    if nanoseconds == 0:
        return "0 s"
    # 59.95 s would round to a minute, which has its own form.
    if nanoseconds >= _MINUTE - _SECOND // 20:
        return _two_units(max(nanoseconds, _MINUTE))
    for index, (unit, name) in enumerate(_UNITS):
        if nanoseconds >= unit:
            digits = three_digits(nanoseconds / unit)
            return f"1.00 {_UNITS[index - 1][1]}" if digits == "1000" else f"{digits} {name}"
    raise AssertionError(nanoseconds)


def wait(nanoseconds: int | None) -> str:
    """A duration that still grows: below a second in steps of 10 ms, so that it can be read."""
    if nanoseconds is None or not 10 * _MILLISECOND <= nanoseconds < _SECOND:
        return duration(nanoseconds)
    return f"{nanoseconds // (10 * _MILLISECOND)}0 ms"


def setting(nanoseconds: int) -> str:
    """A time that somebody set, exactly, in the seconds it is set in: `6 s`, `3600 s`, `0.25 s`."""
    text = f"{nanoseconds // _SECOND}.{nanoseconds % _SECOND:09}"
    return f"{text.rstrip('0').rstrip('.')} s"


def offset(nanoseconds: int, error: int) -> str:
    """A difference of clocks with its error, both in one unit: `−1.84 ms ± 0.21 ms`."""
    largest = max(abs(nanoseconds), error)
    unit, name = next((pair for pair in _UNITS if largest >= pair[0]), _UNITS[-1])
    sign = MINUS if nanoseconds < 0 else ""
    return f"{sign}{abs(nanoseconds) / unit:.2f} {name} ± {error / unit:.2f} {name}"


def size(count: int | None) -> str:
    """Bytes in decimal units, at most 7 columns: `812 B`, `4.1 kB`, `38.2 MB`, `1.84 TB`."""
    if count is None:
        return UNKNOWN
    if count < 1_000:
        return f"{count} B"
    if count < 99_950:
        return f"{count / 1_000:.1f} kB"
    return _scaled(count, ("", " kB", " MB", " GB", " TB", " PB", " EB"))


def throughput(count: int, nanoseconds: int) -> str:
    """Bytes over time, always in GB/s so that a column compares: `11.8 GB/s`, `<0.01 GB/s`."""
    if nanoseconds <= 0:
        return UNKNOWN
    # Bytes a nanosecond are gigabytes a second.
    speed = count / nanoseconds
    if speed < 0.005:
        return "<0.01 GB/s" if count else "0 GB/s"
    decimals = 2 if speed < 0.995 else 1 if speed < 99.95 else 0
    return f"{speed:.{decimals}f} GB/s"


def count(number: int) -> str:
    """With commas to 9,999, three digits above: `4,812`, `18.2k`, `3.41M`; at most 5 columns."""
    return f"{number:,}" if number < 10_000 else _scaled(number, ("", "k", "M", "G", "T", "P"))


def many(number: int, one: str, more: str = "") -> str:
    """So many of something, exactly: `1 block`, `4,812 blocks`; `more` where no s makes it many."""
    return f"{number:,} {one if number == 1 else more or f'{one}s'}"


def per_second(rate: float) -> str:
    """Three digits: `41.2/s`, `4,812/s`; at most 7 columns."""
    if rate == 0:
        return "0/s"
    return f"{three_digits(rate)}/s" if rate < 999.5 else f"{count(round(rate))}/s"


def shares(parts: Sequence[int]) -> tuple[int, ...]:
    """Whole per cents that add up to exactly 100, by largest remainder; all 0 where all parts are.

    Parts are not negative.
    """
    whole = sum(parts)
    if not whole:
        return tuple(0 for _ in parts)
    floors = [part * 100 // whole for part in parts]
    by_remainder = sorted(range(len(parts)), key=lambda i: parts[i] * 100 % whole, reverse=True)
    for index in by_remainder[: 100 - sum(floors)]:
        floors[index] += 1
    return tuple(floors)


def share(percent: int, part: int = 1) -> str:
    """A share as `62%`; `<1%` where a part that is there has none."""
    return "<1%" if part and not percent else f"{percent}%"


def time_of_day(wall: int, zone: tzinfo | None = None) -> str:
    """The time of nanoseconds since the epoch, as `14:02:37`; local where no zone is given."""
    return datetime.fromtimestamp(wall // _SECOND, zone).strftime("%H:%M:%S")


def moment_of_day(wall: int, zone: tzinfo | None = None) -> str:
    """The time of nanoseconds since the epoch to the millisecond, as `14:02:37.412`."""
    return f"{time_of_day(wall, zone)}.{wall % _SECOND // _MILLISECOND:03}"


def date_and_time(wall: int, zone: tzinfo | None = None) -> str:
    """The same with its date and its distance from UTC: `2026-12-02 14:02:37.412 UTC+02:00`."""
    date, away = date_and_zone(wall, zone)
    return f"{date} {moment_of_day(wall, zone)} {away}"


def date_and_zone(wall: int, zone: tzinfo | None = None) -> tuple[str, str]:
    """The date of nanoseconds since the epoch, and its distance from UTC: `UTC`, `UTC+02:00`."""
    then = datetime.fromtimestamp(wall // _SECOND, zone).astimezone(zone)
    away = then.strftime("%z")
    return f"{then:%Y-%m-%d}", "UTC" if away == "+0000" else f"UTC{away[:3]}:{away[3:5]}"


def event(tag: str) -> str:
    """An event's name on the wire as a person says it: `registration sent`."""
    return tag.replace(".", " ").replace("_", " ")


def clean(text: str) -> str:
    """A name from outside that can be printed: controls, escapes and direction marks become `�`."""
    if text.isprintable():
        return text
    return "".join("�" if unicodedata.category(sign) in _UNPRINTABLE else sign for sign in text)


_UNPRINTABLE = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def three_digits(number: float) -> str:
    """Three digits of a number below 1,000, or `1000` where it rounds to that."""
    if number < 9.995:
        return f"{number:.2f}"
    return f"{number:.1f}" if number < 99.95 else f"{number:.0f}"


def _two_units(nanoseconds: int) -> str:
    seconds = nanoseconds // _SECOND
    if nanoseconds < _HOUR:
        return f"{seconds // 60}m {seconds % 60:02}s"
    if nanoseconds < _DAY:
        return f"{seconds // 3_600}h {seconds // 60 % 60:02}m"
    days = seconds // 86_400
    return f"{days}d {seconds // 3_600 % 24:02}h" if days < 100 else f"{days}d"


def _scaled(number: int, units: tuple[str, ...]) -> str:
    """Three digits with the unit of its thousands."""
    scaled = float(number)
    for unit in units[:-1]:
        if scaled < 999.5:
            return three_digits(scaled) + unit
        scaled /= 1_000
    return three_digits(scaled) + units[-1]
