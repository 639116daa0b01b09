"""Draws the line of our own losses: what we know that we did not see."""

from rich.text import Text

from kvtrace import words
from kvtrace.tui.frame import Frame
from kvtrace.tui.look import Look
from kvtrace.tui.text import cut, flow, piece

_LATE = 1_000_000_000
"""Nanoseconds of lag from which it is a loss."""

_GAP = 3


def losses(frame: Frame) -> Text:
    """One line; what is not zero stays longest, and is summed up where it does not fit."""
    look, room = frame.look, frame.width - 2
    own, well = _own(frame), _well(frame)
    for kept in range(len(well), -1, -1):
        items = [*well[:kept], *own] if own else well[:kept]
        if _width(items) <= room:
            return Text(" ").append_text(flow(items, room, gap=_GAP))
    return Text(" ").append(cut(lost(frame), room), look.style("slow"))


def lost(frame: Frame) -> str:
    """All losses in as few words as will do; empty where there are none."""
    known = frame.snapshot.losses
    count = known.overwritten + known.unreadable + known.unknown + known.ledger_full
    count += known.refused + known.turned_away + known.forgotten + known.ambiguous
    if count:
        return f"{frame.look.glyphs.slow} lost {words.count(count)}"
    late = known.lag > _LATE
    return f"{frame.look.glyphs.slow} lag {words.duration(known.lag)}" if late else ""


def _counts(frame: Frame) -> dict[str, int]:
    known = frame.snapshot.losses
    return {
        "overwritten": known.overwritten,
        "unreadable": known.unreadable,
        "unknown": known.unknown,
        "ledger full": known.ledger_full,
        "refused": known.refused,
        "turned away": known.turned_away,
        "forgotten": known.forgotten,
        "ambiguous": known.ambiguous,
    }


def _own(frame: Frame) -> list[Text]:
    look = frame.look
    items = [
        _loss(f"{name} {words.count(number)}", look)
        for name, number in _counts(frame).items()
        if number
    ]
    lag = frame.snapshot.losses.lag
    return [_loss(f"lag {words.duration(lag)}", look), *items] if lag > _LATE else items


def _loss(said: str, look: Look) -> Text:
    return piece(f"{look.glyphs.slow} {look.words(said)}", look.style("slow"))


def _well(frame: Frame) -> list[Text]:
    """What is as it should be, the most useful first."""
    look, known = frame.look, frame.snapshot.losses
    said = [cut(frame.source, 40, look.glyphs.cut)] if frame.source else []
    said.append(f"{words.per_second(frame.snapshot.rate).removesuffix('/s')} events/s")
    if known.lag <= _LATE:
        said.append(f"lag {words.wait(known.lag).rjust(6)}")
    if known.clock_error:
        said.append(f"clocks ± {words.duration(known.clock_error)}")
    if known.foreign:
        said.append(f"{words.count(known.foreign)} not kvtrace's")
    said += [f"{name} 0" for name, number in _counts(frame).items() if not number][:4]
    return [piece(look.words(item), look.style("muted")) for item in said]


def _width(items: list[Text]) -> int:
    return sum(item.cell_len for item in items) + _GAP * max(len(items) - 1, 0)
