"""What fits in a terminal of some size, and what gives way first where it does not."""

from collections.abc import Iterable

import msgspec

MARGIN = 1
"""Cells left free at either edge."""

GIVEN_UP = ("age", "size", "ranks", "phase name", "waits for", "link")
"""Columns of the transfers table in the order in which they give way."""

_WANTED_ID, _LEAST_ID = 28, 12
_LEAST_LAST = 12
"""Cells of who must act next, or of the cause, below which the wait gives way to them."""

_GAP = 2
_WIDTHS = {"mark": 1, "waited": 8, "phase": 1, "phase name": 12, "ranks": 5, "size": 7, "age": 7}


class Columns(msgspec.Struct, frozen=True):
    """The transfers table's columns from left to right, each with the cells it takes."""

    widths: dict[str, int]

    def __contains__(self, name: str) -> bool:
        return name in self.widths


def columns(width: int, *, place: int, link: int, longest: int, cause: int = 0) -> Columns:
    """The columns that leave an id room in so many cells.

    `place` and `link` are the widths of those columns, `longest` that of the longest id, and
    `cause` that of the longest cause; where there is one, its column never gives way.
    """
    every = {
        **{name: _WIDTHS[name] for name in ("mark", "waited", "phase", "phase name")},
        **({"cause": cause} if cause else {}),
        "waits for": place,
        "link": link,
        **{name: _WIDTHS[name] for name in ("ranks", "size", "age")},
    }
    room = width - 2 * MARGIN
    if width < 60:
        last = "cause" if cause else "waits for"
        every = {name: every[name] for name in ("mark", "waited", "phase", last)}
        if room - _taken(every) + _GAP + every[last] < min(_LEAST_LAST, every[last]):
            del every["waited"]
        return Columns(_with_id(every, room, least=_LEAST_ID))
    wanted = min(max(longest, _LEAST_ID), _WANTED_ID)
    for name in GIVEN_UP:
        if room - _taken(every) >= wanted:
            break
        if name not in ("waits for", "link") or room - _taken(every) < _LEAST_ID:
            del every[name]
    return Columns(_with_id(every, room, least=_LEAST_ID))


def gap(name: str) -> int:
    """The cells left free before a column."""
    return {"mark": 0, "waited": 1, "phase": 1, "phase name": 1}.get(name, _GAP)


def _taken(widths: dict[str, int]) -> int:
    return sum(width + gap(name) for name, width in widths.items()) + _GAP


def _with_id(widths: dict[str, int], room: int, *, least: int) -> dict[str, int]:
    left = room - _taken(widths)
    if left >= least:
        return {**widths, "transfer": left}
    last = next((name for name in ("waits for", "cause") if name in widths), None)
    if last is None or left + _GAP >= 0:
        return widths
    return _narrowed(widths, last, widths[last] + left + _GAP)


def _narrowed(widths: dict[str, int], last: str, room: int) -> dict[str, int]:
    if room > 3:
        return {**widths, last: room}
    return {name: width for name, width in widths.items() if name != last}


class Rows(msgspec.Struct, frozen=True, kw_only=True):
    """Which parts of the fleet screen are shown, for its height."""

    header: bool = False
    heading: bool = False
    """Of the transfers table."""

    losses: bool = False
    engines: int = 0
    """Lines of them, without their title."""

    phases: bool = False
    gaps: int = 0
    """Blank lines: before phases, table, engines; then under the header; then above losses."""


_ROWS_FIRST, _ROWS_BEFORE_GAPS = 3, 8
"""Transfers that want a line before panels, and before blank lines, get any."""


def is_tiny(width: int, height: int) -> bool:
    """Whether there is room for little more than the verdict."""
    return width < 60 or height < 12


def rows(height: int, *, verdict: int, engines: int, playing: bool = False) -> Rows:
    """What is shown in so many lines, if the verdict and the engines take those."""
    left = height - verdict - 1
    header = left >= 7
    heading = left >= 5
    losses = left >= 4
    left -= header + heading + losses
    order = ["engines", "phases"] if playing else ["phases", "engines"]
    costs = {"phases": 5, "engines": 1 + min(engines, 2) if engines else 0}
    kept: set[str] = set()
    # The last in the order is the first to be kept.
    for part in reversed(order):
        if left - costs[part] >= _ROWS_FIRST:
            kept.add(part)
            left -= costs[part]
    extra = max(min(engines - 2, left - _ROWS_BEFORE_GAPS), 0) if "engines" in kept else 0
    left -= extra
    return Rows(
        header=header,
        heading=heading,
        losses=losses,
        engines=min(engines, 2) + extra if "engines" in kept else 0,
        phases="phases" in kept,
        gaps=max(min(left - _ROWS_BEFORE_GAPS, 5), 0) if len(kept) == 2 or not engines else 0,
    )


def pack(widths: Iterable[int], width: int, *, gap: int) -> list[int]:
    """How many cells of such widths go in each line of that width, one at least."""
    lines: list[int] = []
    taken = width + 1
    for cell in widths:
        if taken + gap + cell > width:
            lines.append(0)
            taken = -gap
        lines[-1] += 1
        taken += gap + cell
    return lines
