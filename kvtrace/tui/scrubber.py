"""Draws a replay's bar: how much happened when, where one is, what is worth going to."""

from datetime import tzinfo

import msgspec
from rich.text import Text

from kvtrace import words
from kvtrace.marks import Kind, Marked, Marks
from kvtrace.tui.frame import Frame
from kvtrace.tui.glyphs import UTF8
from kvtrace.tui.look import Look
from kvtrace.tui.text import beside, cut, flow, piece
from kvtrace.tui.track import Track, speed_of

BEFORE, AFTER = 12, 11
"""Cells left and right of the bar."""

LEAST = 20
"""Cells of a bar that is worth drawing."""


class Signs(msgspec.Struct, frozen=True, kw_only=True):
    """What stands on the bar."""

    head: str
    kinds: dict[Kind, str]


_SIGNS = Signs(
    head="█", kinds={Kind.ENGINE: "◆", Kind.STALLED: "!", Kind.FAILED: "✗", Kind.TORN: "╳"}
)
_ASCII = Signs(
    head="|", kinds={Kind.ENGINE: "#", Kind.STALLED: "!", Kind.FAILED: "X", Kind.TORN: "%"}
)
_ROLES = {Kind.ENGINE: "strong", Kind.STALLED: "stalled", Kind.FAILED: "stalled", Kind.TORN: "slow"}
_NAMES = {Kind.ENGINE: "engine", Kind.STALLED: "stall", Kind.FAILED: "fail", Kind.TORN: "torn"}


def height(frame: Frame) -> int:
    """Rows that the bar takes: three, one where there is little room, none where there is none."""
    if frame.track is None or frame.width < BEFORE + LEAST + AFTER:
        return 0
    return 3 if frame.height >= 20 else 1 if frame.height >= 10 else 0


def columns(frame: Frame) -> int:
    """Cells of the bar."""
    return frame.width - BEFORE - AFTER


def scrubber(frame: Frame) -> list[Text]:
    """The rows from top to bottom."""
    track, rows = frame.track, height(frame)
    if track is None or not rows:
        return []
    bar = _bar(track, frame)
    return [bar] if rows == 1 else [_density(track, frame), bar, _state(track, frame)]


def row_of_bar(frame: Frame) -> int:
    """Which of the rows is the one where a click goes to."""
    return 1 if height(frame) == 3 else 0


def _density(track: Track, frame: Frame) -> Text:
    look, room = frame.look, columns(frame)
    rate = f"{words.per_second(frame.snapshot.rate).removesuffix('/s')} ev/s"
    line = piece(rate.rjust(BEFORE - 1) + " ", look.style("muted"))
    head = track.column(track.position, room)
    counts = _spread(track.marks.density, room)
    most = max(counts, default=0)
    sparks = look.glyphs.spark
    for column, count in enumerate(counts):
        level = -(-count * len(sparks) // most) if most else 0
        sign = sparks[level - 1] if level else " "
        line.append(sign, look.style("muted" if column <= head else "rule"))
    return line


def _spread(density: tuple[int, ...], room: int) -> list[int]:
    """The counts of the parts in so many columns."""
    counts = [0] * room
    for part, count in enumerate(density):
        counts[part * room // len(density)] += count
    return counts


def _bar(track: Track, frame: Frame) -> Text:
    look, room = frame.look, columns(frame)
    signs = _SIGNS if look.glyphs is UTF8 else _ASCII
    head = track.column(track.position, room)
    marks = _marks(track, room)
    line = piece(f"  {_clock(track, 0, frame.zone)}".ljust(BEFORE), look.style("muted"))
    for column in range(room):
        past = column <= head
        if column == head:
            line.append(signs.head, look.style("strong"))
        elif column in marks:
            kind = marks[column]
            line.append(signs.kinds[kind], look.style(_ROLES[kind]))
        else:
            sign = look.glyphs.full if past else look.glyphs.empty
            line.append(sign, look.style("text" if past else "rule"))
    end = _clock(track, track.length, frame.zone)
    return line.append(f"  {end}", look.style("muted"))


def _marks(track: Track, room: int) -> dict[int, Kind]:
    """The worst in each column."""
    found: dict[int, Kind] = {}
    for one in track.marks.marked:
        column = track.column(one.position, room)
        found[column] = max(found.get(column, one.kind), one.kind)
    return found


def _clock(track: Track, position: int, zone: tzinfo | None) -> str:
    if not track.started_at:
        return words.duration(position)
    return words.time_of_day(track.started_at + position, zone)


def _state(track: Track, frame: Frame) -> Text:
    look = frame.look
    sign, role = (look.glyphs.paused, "slow") if track.paused else (look.glyphs.playing, "write")
    if track.over:
        sign, role = look.glyphs.finished, "text"
    line = piece(f" {sign} ", look.style(role))
    line.append(f"{speed_of(track):<6} ", look.style("strong"))
    line.append(f"{_exactly(track, frame)}  ", look.style("strong"))
    line.append(f"{_percent(track):>4}  ", look.style("text"))
    line.append_text(_news(track, frame))
    return beside(line, _legend(track, frame, frame.width - line.cell_len - 3), frame.width - 1)


def _exactly(track: Track, frame: Frame) -> str:
    if not track.started_at:
        return words.duration(track.position)
    return words.moment_of_day(track.started_at + track.position, frame.zone)


def _percent(track: Track) -> str:
    return words.share(int(100 * track.share), track.position)


def _news(track: Track, frame: Frame) -> Text:
    """What is wrong, what goes on, or what comes next."""
    look = frame.look
    if track.searched is not None:
        return piece(f"going there, {100 * track.searched:.0f}%", look.style("slow"))
    if track.said:
        room = max(frame.width - 36, 0)
        said = cut(f"{look.glyphs.slow} {look.words(track.said)}", room, look.glyphs.cut)
        return piece(said, look.style("slow"))
    if track.over:
        return piece("the recording is over", look.style("muted"))
    return _next(track.marks.after(track.position), track, look)


def _next(mark: Marked | None, track: Track, look: Look) -> Text:
    if mark is None:
        return piece(_none_left(track.marks), look.style("muted"))
    signs = _SIGNS if look.glyphs is UTF8 else _ASCII
    line = piece("next ", look.style("muted"))
    line.append(signs.kinds[mark.kind], look.style(_ROLES[mark.kind]))
    away = words.wait(mark.position - track.position)
    return line.append(look.words(f" in {away}"), look.style("muted"))


def _none_left(marks: Marks) -> str:
    """That no mark comes; what is stalled already may well go on to be."""
    if not marks.whole:
        return ""
    return "no trouble marked" if marks.after(-1) is None else "no further trouble marked"


def _legend(track: Track, frame: Frame, room: int) -> Text:
    """What the marks mean; while they are still being looked for, how far that is."""
    look = frame.look
    if not track.marks.whole:
        share = words.share(100 * track.marks.upto // track.length, 0)
        items = [piece(f"marks up to {share}", look.style("muted"))]
        return flow(items, room)
    signs = _SIGNS if look.glyphs is UTF8 else _ASCII
    items = [
        piece(signs.kinds[kind], look.style(_ROLES[kind])).append(
            f" {_NAMES[kind]}", look.style("muted")
        )
        for kind in Kind
    ]
    legend = flow(items, room, gap=2)
    return legend if legend.plain.endswith(_NAMES[Kind.TORN]) else Text()
