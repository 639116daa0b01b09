"""Draws the first line, which is the answer: is anything stuck?"""

from rich.text import Text

from kvtrace import words
from kvtrace.snapshot import Snapshot, Totals
from kvtrace.tui import preview
from kvtrace.tui.empty import START
from kvtrace.tui.frame import Frame, Mode
from kvtrace.tui.look import Look
from kvtrace.tui.text import beside, cut, piece, shortened, wrap

_NARROW = 60


def verdict(frame: Frame) -> list[Text]:
    """One line, two where the second has something to say, more only where the terminal is tiny."""
    if frame.width < _NARROW:
        return _narrow(frame)
    first = _first(frame)
    first, ended = Text(" ").append_text(first), _ended(frame)
    first = shortened(first, frame.width - 1, frame.look.glyphs.cut)
    if first.cell_len + ended.cell_len < frame.width - 3:
        first = beside(first, ended, frame.width - 1)
    notes = [] if frame.height < 12 else _notes(frame)
    style = frame.look.style("muted")
    return [first, *(piece(f" {frame.look.words(note)}", style) for note in notes)]


def in_flight(snapshot: Snapshot) -> int:
    """How many transfers are neither finished nor failed nor given up."""
    return snapshot.totals.waiting


def _first(frame: Frame) -> Text:
    look, snapshot = frame.look, frame.snapshot
    if frame.status.mode is Mode.LOST:
        heard = words.time_of_day(snapshot.wall, frame.zone) if snapshot.wall else ""
        said = f"  nothing heard since {heard}." if heard else "  nothing was heard."
        return look.badge("source lost", "slow").append(said, look.style("text"))
    if not snapshot.engines and not in_flight(snapshot):
        return piece("No engine heard yet.", look.style("strong"))
    if _is_idle(snapshot.totals) and not in_flight(snapshot):
        return _no_transfers(len(snapshot.engines), look)
    if snapshot.totals.stalled:
        return _stalled(snapshot, look)
    return _well(snapshot, look)


def _stalled(snapshot: Snapshot, look: Look) -> Text:
    line = look.badge(f"{words.count(snapshot.totals.stalled)} stalled", "stalled")
    line.append(f" of {words.count(in_flight(snapshot))} in flight", look.style("text"))
    return _oldest(line, snapshot, look)


def _well(snapshot: Snapshot, look: Look) -> Text:
    line = piece("Nothing is stuck.", look.style("strong"))
    waiting = in_flight(snapshot)
    if not waiting:
        return line.append(" None in flight.", look.style("text"))
    line.append(f" {words.count(waiting)} in flight", look.style("text"))
    return _oldest(line, snapshot, look)


def _oldest(line: Text, snapshot: Snapshot, look: Look) -> Text:
    line.append(", the oldest for ", look.style("text"))
    line.append(look.words(words.wait(snapshot.oldest)), look.style("strong"))
    return line.append(".", look.style("text"))


def _no_transfers(engines: int, look: Look) -> Text:
    heard = (
        "1 engine is heard, it has" if engines == 1 else f"{engines} engines are heard, none has"
    )
    line = piece("No transfers yet:", look.style("strong"))
    return line.append(f" {heard} moved KV.", look.style("text"))


def _is_idle(totals: Totals) -> bool:
    return not (totals.finished or totals.failed or totals.abandoned)


def _ended(frame: Frame) -> Text:
    """How many transfers ended, and how."""
    look, totals = frame.look, frame.snapshot.totals
    line = Text()
    if not _is_idle(totals):
        line.append(f"{words.count(totals.finished)} finished", look.style("muted"))
    if totals.failed:
        said = f"   {look.glyphs.failed} {words.count(totals.failed)} failed"
        line.append(said, look.style("stalled"))
    if totals.abandoned:
        line.append(f"   {words.count(totals.abandoned)} abandoned", look.style("slow"))
    return line


def _notes(frame: Frame) -> list[str]:
    """What a second line has to say."""
    status, width = frame.status, min(frame.width - 2, 110)
    if status.mode is Mode.LOST:
        return ["Shown is what was known then.", *wrap(status.note, width)]
    if status.mode is Mode.OVER:
        return wrap(f"{status.note} Shown is what was known at its end.", width)
    if not frame.snapshot.engines and not in_flight(frame.snapshot):
        return [*wrap(f"Reading {frame.source}.", width), *wrap(START, width)]
    worst = frame.snapshot.causes[0] if frame.snapshot.causes else None
    told_below = preview.height(frame) > 0 and len(frame.snapshot.causes) == 1
    if worst is not None and worst.stalled and frame.height >= 30 and not told_below:
        said = f"{words.count(worst.stalled)} for one cause, {worst.worst.label}"
        return [cut(f"{said}: {worst.worst.sentence}", frame.width - 2, frame.look.glyphs.cut)]
    return []


def _narrow(frame: Frame) -> list[Text]:
    """The verdict in words so short that they fit in 20 columns."""
    look, snapshot = frame.look, frame.snapshot
    if frame.status.mode is Mode.LOST:
        return [look.badge("source lost", "slow")]
    if not in_flight(snapshot):
        said = "nothing in flight" if snapshot.engines else "no engine heard"
        return [piece(f" {said}", look.style("text"))]
    waiting = words.count(in_flight(snapshot))
    first, second = piece(" nothing stuck", look.style("strong")), f" {waiting} in flight"
    if snapshot.totals.stalled:
        first = look.badge(f"{words.count(snapshot.totals.stalled)} stalled", "stalled")
        second = f" of {waiting}"
    oldest = look.words(f" oldest {words.wait(snapshot.oldest)}")
    if first.cell_len + len(second) + len(oldest) + 2 <= frame.width:
        return [Text(" ").append_text(first).append(f"{second},{oldest}", look.style("text"))]
    return [first, piece(second, look.style("text")), piece(oldest, look.style("text"))]
