"""Draws the engines: who is waited for, who holds how much, who fell silent."""

from collections.abc import Sequence
from itertools import groupby

import msgspec
from rich.text import Text

from kvtrace import words
from kvtrace.snapshot import EngineLine
from kvtrace.tui.fitting import pack
from kvtrace.tui.frame import Frame
from kvtrace.tui.look import Look
from kvtrace.tui.names import Names
from kvtrace.tui.per_frame import per_frame
from kvtrace.tui.text import cells, pad, piece

SILENT = 5_000_000_000
"""Nanoseconds after which an engine that says nothing is called silent, or idle."""

_UNSEEN = {"frozen": "frozen", "unheard": "not heard from", "untraced": "not traced"}
_GAP = 3
_GROUP = 8
"""Engines in one cell, where one side has more than that."""

_BAR = 6
_ROOM_FOR_BARS = 100


def engines(frame: Frame, lines: int) -> list[Text]:
    """A title and at most so many lines of engines, those that do not fit counted."""
    if not lines:
        return []
    look = frame.look
    title = piece(" ENGINE", look.style("muted", bold=True))
    title.append("  blocks held for transfers, transfers in flight", look.style("muted"))
    title.truncate(frame.width - 1)
    every = _packed(frame)
    shown = every[:lines]
    hidden = sum(each.count for line in every[lines:] for each in line)
    drawn = [Text(" " * _GAP).join(each.drawn for each in line) for line in shown]
    if hidden:
        drawn[-1].append(f"   + {hidden} more", look.style("muted"))
    return [title, *(Text(" ").append_text(line) for line in drawn)]


def engine_lines(frame: Frame) -> int:
    """How many lines all engines take."""
    return len(_packed(frame))


@per_frame
def _packed(frame: Frame) -> list[list["_Cell"]]:
    """Cells in lines; producers first, and consumers from a new line."""
    packed: list[list[_Cell]] = []
    ordered = sorted(frame.snapshot.engines, key=_order)
    for _, found in groupby(ordered, key=_is_consumer):
        side = list(found)
        size = _GROUP if len(side) > _GROUP else 1
        groups = [side[start : start + size] for start in range(0, len(side), size)]
        named = [_name(group, frame.names) for group in groups]
        widest = max(map(cells, named))
        drawn = [
            _Cell(len(group), _group(group, pad(name, widest), frame))
            for group, name in zip(groups, named, strict=True)
        ]
        packed += _split(drawn, frame.width - 2)
    return packed


class _Cell(msgspec.Struct, frozen=True):
    """One engine, or a group of them."""

    count: int
    drawn: Text


def _name(group: Sequence[EngineLine], names: Names) -> str:
    first, last = names.engine(group[0].id), names.engine(group[-1].id)
    return first if len(group) == 1 else f"{first}-{last}"


def _group(group: Sequence[EngineLine], name: str, frame: Frame) -> Text:
    """Engines in one cell: the worst mark, blocks held and transfers in flight of all."""
    if len(group) == 1:
        return cell(group[0], name, frame)
    sums = {"in_flight": 0, "waited_for": 0, "held_blocks": 0, "blocks": 0}
    for known in sums:
        sums[known] = sum(getattr(engine, known) for engine in group)
    whole = msgspec.structs.replace(group[0], state="alive", heard=0, **sums)
    line = cell(whole, name, frame)
    unwell = [engine for engine in group if _is_unwell(engine)]
    if unwell:
        said = f" {frame.look.glyphs.unseen} {len(unwell)} not well"
        line.append(said, frame.look.style("slow"))
    return line


def _is_unwell(engine: EngineLine) -> bool:
    """Whether it says nothing although it should."""
    silent = engine.heard > SILENT and engine.in_flight > 0
    return silent or engine.state not in ("alive", "restarted")


def _split(cells: Sequence[_Cell], width: int) -> list[list[_Cell]]:
    lines, start = [], 0
    for count in pack([cell.drawn.cell_len for cell in cells], width, gap=_GAP):
        lines.append(list(cells[start : start + count]))
        start += count
    return lines


def _order(engine: EngineLine) -> tuple[bool, int, str]:
    """Producers first, and P2 before P10."""
    return _is_consumer(engine), len(engine.name), engine.name


def _is_consumer(engine: EngineLine) -> bool:
    return not engine.roles.startswith("P")


def cell(engine: EngineLine, name: str, frame: Frame) -> Text:
    """One engine: name, mark, blocks held, transfers in flight; or why it says nothing."""
    look = frame.look
    line = piece(name, look.style("strong"))
    said = trouble(engine, look)
    if said is not None:
        return line.append(" ").append_text(said)
    mark = look.glyphs.stalled if engine.waited_for else " "
    line.append(mark, look.style("stalled"))
    line.append_text(_held(engine, frame.width >= _ROOM_FOR_BARS, look))
    line.append(f" {words.count(engine.in_flight):>3}", look.style("text"))
    if engine.state == "restarted":
        line.append(" restarted", look.style("slow"))
    return line


def trouble(engine: EngineLine, look: Look) -> Text | None:
    """Why it says nothing, where it does not."""
    if engine.state == "died":
        return piece(f"{look.glyphs.failed} died", look.style("stalled"))
    if engine.state == "ended":
        return piece(f"{look.glyphs.failed} ended", look.style("slow"))
    if engine.state in _UNSEEN:
        return piece(f"{look.glyphs.unseen} {_UNSEEN[engine.state]}", look.style("slow"))
    if engine.heard > SILENT:
        silent = look.words(words.duration(engine.heard))
        if engine.running:
            # Ranks tell of their steps every second, so this one is not over.
            return piece(f" in a step {silent}", look.style("slow"))
        if not engine.in_flight:
            # An engine without work has nothing to say, and that is well.
            again = ", restarted" * (engine.state == "restarted")
            return piece(f" idle {silent}{again}", look.style("muted"))
        return piece(f"{look.glyphs.unseen} silent {silent}", look.style("slow"))
    return None


def _held(engine: EngineLine, with_bar: bool, look: Look) -> Text:
    """The share of its KV blocks that transfers hold."""
    if not engine.blocks:
        width = _BAR + 6 if with_bar else 6
        return piece(pad(look.glyphs.nothing, width, right=True), look.style("muted"))
    percent = min(100 * engine.held_blocks // engine.blocks, 100)
    said = pad(words.share(percent, engine.held_blocks), 4, right=True)
    if not with_bar:
        signs = look.glyphs.spark
        sign = signs[min(percent * len(signs) // 100, len(signs) - 1)]
        return piece(sign, look.style("muted")).append(f" {said}", look.style("muted"))
    full = round(percent * _BAR / 100)
    bar = piece(" " + look.glyphs.full * full, look.style("muted"))
    bar.append(look.glyphs.empty * (_BAR - full), look.style("rule"))
    return bar.append(f" {said}", look.style("muted"))
