"""Puts the links screen together: verdict, matrix, and what is known of the chosen link."""

from collections.abc import Sequence

import msgspec
from rich.text import Text

from kvtrace import words
from kvtrace.links import SLOW
from kvtrace.readings import LinkLine
from kvtrace.tui import grid, matrix
from kvtrace.tui.frame import Frame
from kvtrace.tui.grid import At, Grid, Window
from kvtrace.tui.link_rows import transfers
from kvtrace.tui.look import Look
from kvtrace.tui.matrix import SECOND, Seen
from kvtrace.tui.phases import sparkline
from kvtrace.tui.text import flow, pad, piece, shortened

_OF_RANKS = {"rate": 11, "writes": 9, "moved": 10, "failed": 8}

_LEAST_BELOW = 2
"""Lines for the legend and the chosen link where there is hardly any room."""

_LEAST = 5
"""Lines that the matrix has before anything is said of one link."""


class LinksPage(msgspec.Struct, frozen=True, kw_only=True):
    """The lines, and where cells are in them."""

    lines: list[Text]
    grid: Grid
    window: Window
    top: int
    """The first line of the grid's rows."""

    def at(self, x: int, y: int) -> At | None:
        """The cell that is drawn there."""
        return self.window.at(self.grid, x, y - self.top)


def page(frame: Frame, seen: Seen, room: int) -> LinksPage:
    """All of it in so many lines."""
    line = matrix.line_of(frame.snapshot, seen.cursor)
    by_rank = seen.ranks and line is not None and bool(line.paths)
    drawn = matrix.ranks(line, frame, seen) if by_rank and line else matrix.links(frame, seen)
    airy = room >= 24
    blank = [Text()] if airy else []
    head = [*blank, verdict(frame)]
    if by_rank and line is not None:
        head.append(_of_ranks(line, frame))
    head += blank
    below = _below(frame, seen, line, airy=airy)
    left = room - len(head)
    wanted = max(grid.height(drawn, frame.width), _LEAST)
    below = below[: max(left - wanted, _LEAST_BELOW if left > _LEAST else 0)]
    if line is not None and not by_rank:
        below += transfers(line.link, frame, left - wanted - len(below))
    window = grid.window(drawn, frame.width, max(left - len(below), 1))
    body = grid.draw(drawn, window, frame) if drawn.rows and drawn.columns else _nothing(frame)
    lines = [*head, *body, *below][:room]
    return LinksPage(lines=lines, grid=drawn, window=window, top=len(head) + 1)


def verdict(frame: Frame) -> Text:
    """Is a link slow, and does one hold stalled transfers?"""
    look, lines = frame.look, frame.snapshot.links
    slow = sorted((one for one in lines if one.slow), key=lambda one: one.share or 0)
    stuck = [one for one in lines if one.stalled]
    if not lines:
        said = piece("Nothing was written yet on any link.", look.style("strong"))
    elif slow:
        said = _slow(slow, frame)
    else:
        said = piece("No link is slow.", look.style("strong"))
        known = [one for one in lines if (one.share or 0) >= SLOW]
        if known and not (stuck and frame.width < 100):
            least = min(known, key=lambda one: one.share or 0)
            said.append(
                f" The slowest, {frame.names.link(least.link)}, writes at {least.share}% "
                "of its own best.",
                look.style("text"),
            )
    if stuck:
        hold = "1 link holds" if len(stuck) == 1 else f"{len(stuck)} links hold"
        said.append(f"  {look.glyphs.stalled} {hold} stalled transfers.", look.style("stalled"))
    return shortened(Text(" ").append_text(said), frame.width - 1, look.glyphs.cut)


def _slow(slow: Sequence[LinkLine], frame: Frame) -> Text:
    look, worst = frame.look, slow[0]
    is_are = "1 link is slow" if len(slow) == 1 else f"{len(slow)} links are slow"
    said = piece(f"{look.glyphs.slow} {is_are}: ", look.style("slow", bold=True))
    said.append(frame.names.link(worst.link), look.style("strong"))
    rate = words.throughput(worst.rate or 0, SECOND)
    return said.append(
        f" writes at {rate}, {words.share(worst.share or 0, worst.rate or 0)} of its own best.",
        look.style("text"),
    )


def _nothing(frame: Frame) -> list[Text]:
    said = " A link shows up here with the first transfer between two engines."
    return [piece(said, frame.look.style("muted"))]


def _of_ranks(line: LinkLine, frame: Frame) -> Text:
    said = piece(f" {frame.names.link(line.link)}", frame.look.style("strong"))
    return said.append("  rank by rank: P down, D across", frame.look.style("muted"))


def _below(frame: Frame, seen: Seen, line: LinkLine | None, *, airy: bool) -> list[Text]:
    """The legend, and what is known of the link under the cursor."""
    look = frame.look
    blank = [Text()] if airy else []
    lines = [*blank, _legend(seen, frame)]
    if line is None:
        if seen.cursor is None:
            return lines
        nothing = piece(f" {_ends(seen.cursor, frame)}", look.style("strong"))
        return [nothing.append("  nothing was ever on it", look.style("muted")), *lines]
    lines = (
        [*blank, _numbers(line, frame), *lines]
        if not airy
        else [*lines, Text(), _numbers(line, frame)]
    )
    spark = sparkline(line.history, min(frame.width - 34, 60), look)
    if spark.strip():
        drawn = piece(" rate, last 15 min  ", look.style("muted"))
        lines.append(drawn.append(spark, look.style("write" if look.colour else "muted")))
    if not seen.ranks:
        by_rank = _ranks(line, frame)
        lines += [*blank, *by_rank] if by_rank else []
    return lines


def _ranks(line: LinkLine, frame: Frame) -> list[Text]:
    """A line for each pair of ranks, under headings."""
    look = frame.look
    head = piece(" " + pad("RANKS", 22), look.style("muted", bold=True))
    for name, width in _OF_RANKS.items():
        head.append(pad(name, width, right=True), look.style("muted"))
    lines = [head]
    for path in line.paths:
        name = f"rank {path.producer_rank} {look.glyphs.arrow} rank {path.consumer_rank}"
        told = (
            words.throughput(path.rate, SECOND) if path.rate is not None else words.UNKNOWN,
            words.count(path.writes),
            words.size(path.moved),
            words.count(path.failed),
        )
        drawn = piece(" " + pad(name, 22), look.style("text"))
        for said, width in zip(told, _OF_RANKS.values(), strict=True):
            drawn.append(pad(look.words(said), width, right=True), look.style("text"))
        lines.append(drawn)
    return lines if len(lines) > 1 else []


def _ends(at: At, frame: Frame) -> str:
    names = frame.names
    return f"{names.engine(at[0])} {frame.look.glyphs.arrow} {names.engine(at[1])}"


def _legend(seen: Seen, frame: Frame) -> Text:
    look = frame.look
    shown = {
        "rate": "GB/s, last writes",
        "oldest": "longest wait",
        "failed": "failed so far",
        "moved": "bytes so far",
    }
    items = [
        piece(f"{look.glyphs.spark[-1]} ", look.style("write")).append(
            "share of own best", look.style("muted")
        ),
        piece(f"{look.glyphs.quiet} few writes", look.style("muted")),
        piece(f"{look.glyphs.slow} slow", look.style("slow")),
        piece(f"{look.glyphs.stalled} stalled", look.style("stalled")),
        piece(f"shown: {'writes' if seen.ranks else shown[seen.show]}", look.style("muted")),
    ]
    return Text(" ").append_text(flow(items, frame.width - 2, gap=2 if frame.width < 100 else 3))


def _numbers(line: LinkLine, frame: Frame) -> Text:
    look = frame.look
    items = [piece(frame.names.link(line.link), look.style("strong"))]
    items.append(_rate(line, look))
    if line.stalled:
        said = f"{look.glyphs.stalled} {words.count(line.stalled)} stalled"
        items.append(piece(said, look.style("stalled")))
    told = [f"{words.count(line.in_flight)} in flight"]
    if line.oldest is not None:
        told.append(f"oldest {words.wait(line.oldest)}")
    told += [f"moved {words.size(line.moved)}", words.many(line.writes, "write")]
    items += [piece(look.words(one), look.style("text")) for one in told]
    failed = piece(f"failed {words.count(line.failed)}", look.style("muted"))
    if line.failed:
        failed = piece(
            f"{look.glyphs.failed} failed {words.count(line.failed)}", look.style("stalled")
        )
    return Text(" ").append_text(flow([*items, failed], frame.width - 2))


def _rate(line: LinkLine, look: Look) -> Text:
    if line.rate is None:
        return piece("no writes lately", look.style("muted"))
    said = words.throughput(line.rate, SECOND)
    if line.best is None:
        return piece(f"{said}, too few writes to know its best", look.style("text"))
    best = words.throughput(line.best, SECOND).removesuffix(" GB/s")
    said = f"{said.removesuffix(' GB/s')} of {best} GB/s"
    return piece(said, look.style("slow" if line.slow else "text", bold=line.slow))
