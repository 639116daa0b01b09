"""Puts the causes screen together: a line for each cause, and all that is known of the chosen."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from kvtrace import words
from kvtrace.causes import ABOUT, Cause, Kind
from kvtrace.diagnosed import CauseLine, Confidence, Evidence
from kvtrace.snapshot import Row
from kvtrace.tui.empty import silent
from kvtrace.tui.frame import Frame
from kvtrace.tui.text import PROSE, cells, cut, pad, piece, shortened, wrap

_LABEL = 26
_COUNT = 5
_SINCE = 10
_WAIT = 9
_INDENT = 9

_CALM = "A cause shows up here once a transfer waits too long or fails; 1 shows those in flight."


def page(frame: Frame, chosen: Cause | None, room: int) -> list[Text]:
    """All of it in so many lines: the verdict, the causes, and the chosen one opened."""
    airy = room >= 18
    blank = [Text()] if airy else []
    causes = frame.snapshot.causes
    lines = [*blank, verdict(frame), *blank]
    if not causes:
        return [*lines, *silent(frame, _CALM if frame.snapshot.engines else "")][:room]
    picked = next((one for one in causes if one.cause is chosen), causes[0])
    left = room - len(lines) - 1
    detail = list(_detail(picked, frame, airy=airy))
    rows = min(len(causes), max(left - len(detail), (left + 1) // 2, 1))
    first = min(max(causes.index(picked) - rows + 1, 0), len(causes) - rows)
    lines.append(_heading(frame, len(causes), rows))
    for one in causes[first : first + rows]:
        lines.append(_line(one, frame, selected=one is picked))
        if one is picked:
            lines += detail[: max(left - rows, 0)]
    return lines[:room]


def row_at(frame: Frame, chosen: Cause | None, room: int, y: int) -> Cause | None:
    """Which cause is drawn in that line of the page."""
    lines = [line.plain for line in page(frame, chosen, room)]
    if not 0 <= y < len(lines):
        return None
    told = lines[y]
    labels = {ABOUT[one.cause].label: one.cause for one in frame.snapshot.causes}
    at = 3 + _COUNT + 2
    return labels.get(told[at : at + _LABEL].strip()) if told[:2].strip() or told[3:8] else None


def verdict(frame: Frame) -> Text:
    """How many transfers for how many causes."""
    look, causes = frame.look, frame.snapshot.causes
    now = [one for one in causes if one.stalled]
    over = [one for one in causes if not one.stalled]
    if not causes and not frame.snapshot.engines:
        line = piece(" No engine heard yet.", look.style("strong"))
        return shortened(line, frame.width - 1, look.glyphs.cut)
    if not causes:
        line = piece(" Nothing is wrong that kvtrace knows of.", look.style("strong"))
        return shortened(line, frame.width - 1, look.glyphs.cut)
    if not now:
        ended = words.count(sum(one.ended for one in over))
        line = piece(" Nothing is wrong now.", look.style("strong"))
        return line.append(f"  {ended} ended in trouble before.", look.style("muted"))
    count = sum(one.stalled for one in now)
    line = Text(" ").append_text(look.badge(f"{words.count(count)} in trouble", "stalled"))
    causes_said = "1 cause" if len(now) == 1 else f"{len(now)} causes"
    whole = line.copy().append(f" for {causes_said}", look.style("text"))
    if over:
        whole.append(f", {len(over)} over", look.style("muted"))
    whole.append(".", look.style("text"))
    return whole if whole.cell_len < frame.width else line


def _heading(frame: Frame, count: int, rows: int) -> Text:
    look = frame.look
    line = piece("   " + pad("now", _COUNT, right=True) + "  ", look.style("muted"))
    line.append(pad("CAUSE", _LABEL), look.style("muted", bold=True))
    line.append(pad("over", _COUNT, right=True), look.style("muted"))
    line.append(pad("since", _SINCE, right=True), look.style("muted"))
    line.append(pad("oldest", _WAIT, right=True) + "  link", look.style("muted"))
    if count > rows:
        line.append(f"   {rows} of {count}", look.style("muted"))
    return shortened(line, frame.width - 1, "")


def _line(one: CauseLine, frame: Frame, *, selected: bool) -> Text:
    look = frame.look
    slow = ABOUT[one.cause].kind is Kind.SLOW
    mark, role = (look.glyphs.slow, "slow") if slow else (look.glyphs.stalled, "stalled")
    if not one.stalled:
        mark, role = look.glyphs.finished, "muted"
    line = piece(look.glyphs.cursor if selected else " ", look.style("strong"))
    line.append(f"{mark} ", look.style(role))
    now = words.count(one.stalled) if one.stalled else words.UNKNOWN
    text = "text" if one.stalled else "muted"
    line.append(pad(now, _COUNT, right=True) + "  ", look.style(role if one.stalled else "muted"))
    line.append(pad(ABOUT[one.cause].label, _LABEL), look.style("strong" if one.stalled else text))
    line.append(pad(words.count(one.ended) if one.ended else words.UNKNOWN, _COUNT, right=True))
    line.append(pad(look.words(_time(one.since, frame)), _SINCE, right=True), look.style(text))
    oldest = words.UNKNOWN if one.oldest is None else words.wait(one.oldest)
    line.append(pad(look.words(oldest), _WAIT, right=True) + "  ", look.style(text))
    links = [frame.names.link(link) for link in one.links if link.producer or link.consumer]
    more = f" and {len(links) - 1} more" if len(links) > 1 else ""
    line.append((links[0] if links else "") + more, look.style(text))
    line = shortened(line, frame.width - 1, look.glyphs.cut)
    line.append(" " * max(frame.width - line.cell_len, 0))
    if selected:
        line.stylize(look.selection)
    return line


def _detail(one: CauseLine, frame: Frame, *, airy: bool) -> Iterator[Text]:
    """Sentence, remedy, evidence, confidence, and the transfers that wait for it."""
    worst = one.worst
    yield from _told(frame, "", worst.sentence, "text")
    yield from _told(frame, "DO ", worst.remedy, "strong")
    for evidence in worst.evidence:
        yield _evidence(evidence, frame)
    sure = f"confidence {worst.confidence}"
    doubt = f": {worst.doubt}" if worst.confidence is not Confidence.HIGH else ""
    role = "muted" if worst.confidence is Confidence.HIGH else "slow"
    yield from _told(frame, "", f"{sure}{doubt}", role)
    for row in _waiting(one.cause, frame)[: 6 if airy else 3]:
        yield _transfer(row, frame)


def _told(frame: Frame, head: str, text: str, role: str) -> Iterator[Text]:
    look = frame.look
    room = min(frame.width - _INDENT - cells(head) - 1, PROSE)
    for number, line in enumerate(wrap(look.words(text), room)):
        lead = head if number == 0 else " " * cells(head)
        told = piece(" " * _INDENT + lead, look.style("muted"))
        yield told.append(line, look.style(role))


def _evidence(one: Evidence, frame: Frame) -> Text:
    look = frame.look
    when = _time(one.at, frame) if one.at is not None else "never" if one.missing else "–"
    line = piece(" " * _INDENT + "SAW ", look.style("muted"))
    sign = look.glyphs.missing if one.missing else look.glyphs.event
    line.append(f"{sign} ", look.style("stalled" if one.missing else "text"))
    line.append(pad(look.words(when), 9), look.style("muted"))
    if one.place is not None:
        line.append(f"{frame.names.place(one.place)}  ", look.style("muted"))
    line.append(look.words(words.clean(one.text)), look.style("text"))
    return shortened(line, frame.width - 1, look.glyphs.cut)


def _transfer(row: Row, frame: Frame) -> Text:
    look = frame.look
    line = piece(" " * _INDENT, "").append(f"{look.glyphs.stalled} ", look.style("stalled"))
    line.append(pad(look.words(words.wait(row.waited)), 8, right=True), look.style("text"))
    line.append(f" {row.phase.letter} ", look.style(row.phase.value, bold=True))
    where = "" if row.waits_for is None else frame.names.place(row.waits_for)
    line.append(pad(where, 14) + " ", look.style("muted"))
    line.append(cut(row.id, max(frame.width - line.cell_len - 1, 8)), look.style("text"))
    return shortened(line, frame.width - 1, look.glyphs.cut)


def _waiting(cause: Cause, frame: Frame) -> Sequence[Row]:
    found = frame.snapshot.diagnoses
    named = ((row, found.get(row.transfer.id)) for row in frame.snapshot.rows if row.stalled)
    return [row for row, told in named if told is not None and told.cause is cause]


def _time(at: int, frame: Frame) -> str:
    snapshot = frame.snapshot
    return words.time_of_day(max(snapshot.wall - snapshot.at + at, 0), frame.zone)
