"""Says links as cells: what each shows, in which order, and what is said of the chosen one."""

from collections.abc import Sequence

import msgspec

from kvtrace import words
from kvtrace.model import Link
from kvtrace.readings import LinkLine, PathLine
from kvtrace.snapshot import Snapshot
from kvtrace.tui.frame import Frame
from kvtrace.tui.grid import At, Cell, Grid
from kvtrace.tui.look import Look

SHOWS = ("rate", "oldest", "failed", "moved")
"""What a cell can show, in the order in which `s` turns it."""

SECOND = 1_000_000_000


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What is looked at: the link under the cursor, what cells show, and whether its ranks."""

    cursor: At | None = None
    show: str = SHOWS[0]
    ranks: bool = False
    rank: At | None = None
    """The pair of ranks under the cursor, where the ranks are shown."""


def line_of(snapshot: Snapshot, at: At | None) -> LinkLine | None:
    """The link in that cell; None where nothing was ever on it."""
    if at is None:
        return None
    wanted = Link(*at)
    return next((line for line in snapshot.links if line.link == wanted), None)


def is_trouble(line: LinkLine) -> bool:
    """Whether `n` stops at it."""
    return bool(line.slow or line.stalled)


def worst_first(lines: Sequence[LinkLine]) -> list[LinkLine]:
    """Those with stalled transfers, then slow ones; the longest wait first."""
    return sorted(lines, key=lambda line: (-line.stalled, not line.slow, -(line.oldest or 0)))


def links(frame: Frame, seen: Seen) -> Grid:
    """A row for each producer, a column for each consumer, by name."""
    snapshot = frame.snapshot
    producers = {engine.id for engine in snapshot.engines if "P" in engine.roles}
    consumers = {engine.id for engine in snapshot.engines if "D" in engine.roles}
    producers |= {line.link.producer for line in snapshot.links}
    consumers |= {line.link.consumer for line in snapshot.links}
    cells = {
        (line.link.producer, line.link.consumer): _cell(line, seen.show, frame.look)
        for line in snapshot.links
    }
    return Grid(
        rows=_named(producers, frame),
        columns=_named(consumers, frame),
        cells=cells,
        cursor=seen.cursor,
    )


def ranks(line: LinkLine, frame: Frame, seen: Seen) -> Grid:
    """A row for each producer rank of the link, a column for each consumer rank."""
    down = sorted({path.producer_rank for path in line.paths})
    across = sorted({path.consumer_rank for path in line.paths})
    cells = {
        (str(path.producer_rank), str(path.consumer_rank)): _rank_cell(path, line, frame.look)
        for path in line.paths
    }
    return Grid(
        rows=[(str(rank), f"rank {rank}") for rank in down],
        columns=[(str(rank), f"rank {rank}") for rank in across],
        cells=cells,
        cursor=seen.rank,
    )


def _named(engines: set[str], frame: Frame) -> list[tuple[str, str]]:
    named = [(key, frame.names.engine(key)) for key in engines]
    return sorted(named, key=lambda pair: (not pair[0], len(pair[1]), pair[1], pair[0]))


def _cell(line: LinkLine, show: str, look: Look) -> Cell:
    said, unit = look.words(_said(line, show, look)), ""
    if show == "rate" and line.rate is not None:
        said, _, unit = said.partition(" ")
    mark, role = "", "text"
    if line.stalled:
        mark, role = f"{look.glyphs.stalled}{words.count(line.stalled)}", "stalled"
    elif line.slow:
        mark, role = look.glyphs.slow, "slow"
    below = f"{words.count(line.in_flight)} in flight" if line.in_flight else "idle"
    if not line.in_flight and not line.writes:
        below = ""
    return Cell(said=said, unit=unit, below=below, share=line.share, mark=mark, role=role)


def _said(line: LinkLine, show: str, look: Look) -> str:
    if show == "oldest":
        return words.wait(line.oldest)
    if show == "failed":
        return f"{look.glyphs.failed} {words.count(line.failed)}" if line.failed else "0"
    if show == "moved":
        return words.size(line.moved)
    return words.throughput(line.rate, SECOND) if line.rate is not None else "none"


def _rank_cell(path: PathLine, line: LinkLine, look: Look) -> Cell:
    known = path.rate is not None
    said, _, unit = (words.throughput(path.rate or 0, SECOND) if known else "none").partition(" ")
    share = None
    if path.rate is not None and line.best:
        share = min(100 * path.rate // line.best, 100)
    mark = f"{look.glyphs.failed}{words.count(path.failed)}" if path.failed else ""
    return Cell(
        said=look.words(said),
        unit=unit,
        below=words.many(path.writes, "write"),
        share=share,
        mark=mark,
        role="stalled" if mark else "text",
    )
