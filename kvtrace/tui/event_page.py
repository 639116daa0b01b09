"""Draws events one a line, and all that the one under the cursor says."""

from rich.text import Text

from kvtrace import words
from kvtrace.model import Place, Role
from kvtrace.moments import Ended, Lost, Record
from kvtrace.readings import Heard
from kvtrace.tui import said
from kvtrace.tui.frame import Frame
from kvtrace.tui.subjects import other_name
from kvtrace.tui.text import cut, flow, pad, piece, shortened

_FAILURES = ("failed", "failure", "expired", "died", "lost")
_NAME, _TIME = 24, 12
_ROOM_FOR_IDS = 110


def name_of(heard: Heard) -> str:
    """The event's name in words."""
    news = heard.news
    return said.name(news.event) if isinstance(news, Record) else other_name(news)


def is_failure(heard: Heard) -> bool:
    """Whether the event tells of something that did not work."""
    if isinstance(heard.news, Record) and getattr(heard.news.event, "failed", False):
        return True
    return name_of(heard).rpartition(" ")[2] in _FAILURES


def request_of(heard: Heard) -> str:
    """The request it speaks of, as its engine calls it."""
    if not isinstance(heard.news, Record):
        return ""
    return heard.news.event.request or str(getattr(heard.news.event, "remote_request", ""))


def verdict(frame: Frame) -> Text:
    """How much comes, and how much of it is kept."""
    look, snapshot = frame.look, frame.snapshot
    if not snapshot.tail:
        line = piece(" No event heard yet.", look.style("strong"))
        return shortened(line, frame.width - 1, look.glyphs.cut)
    rate = words.per_second(snapshot.rate).removesuffix("/s")
    line = piece(f" {rate} events a second", look.style("strong"))
    line.append(f", {words.count(snapshot.events)} in all.", look.style("text"))
    last = f"  The last {words.count(len(snapshot.tail))} are kept."
    kept = last if snapshot.tail[0].number > 1 else "  All are kept."
    return shortened(line.append(kept, look.style("muted")), frame.width - 1)


def heading(frame: Frame, note: str) -> Text:
    """Names of the columns; on the right whether the newest are followed."""
    look = frame.look
    line = piece(" " + pad("time", _TIME), look.style("muted"))
    if frame.width >= 60:
        line.append("  " + pad("place", frame.names.place_width), look.style("muted"))
    line.append("  " + pad("event", _NAME), look.style("muted"))
    if frame.width >= _ROOM_FOR_IDS:
        line.append("  " + pad("request", _id_width(frame)), look.style("muted"))
    line.append("  attributes", look.style("muted"))
    line.truncate(max(frame.width - len(note) - 2, 0), pad=True)
    return line.append(f"{note} ", look.style("strong"))


def event_line(frame: Frame, heard: Heard, *, selected: bool) -> Text:
    """One event, as wide as the frame."""
    look = frame.look
    line = piece(look.glyphs.cursor if selected else " ", look.style("strong"))
    line.append(pad(time_of(frame, heard), _TIME), look.style("muted"))
    if frame.width >= 60:
        line.append("  " + pad(place_of(frame, heard), frame.names.place_width), look.style("text"))
    bad = is_failure(heard)
    name = f"{look.glyphs.failed} {name_of(heard)}" if bad else name_of(heard)
    line.append("  " + pad(name, _NAME), look.style("stalled" if bad else "text"))
    if frame.width >= _ROOM_FOR_IDS:
        width = _id_width(frame)
        line.append(
            "  " + pad(frame.names.transfer(request_of(heard), width), width), look.style("muted")
        )
    room = frame.width - 1 - line.cell_len - 2
    told = "  ".join(attributes(heard))
    if room > 4:
        line.append("  " + cut(look.words(told), room, look.glyphs.cut), look.style("muted"))
    line = shortened(line, frame.width)
    line.append(" " * max(frame.width - line.cell_len, 0))
    if selected:
        line.stylize(look.selection)
    return line


def whole(frame: Frame, heard: Heard | None) -> list[Text]:
    """All that the event says, in two lines."""
    if heard is None:
        return [Text(), Text()]
    look = frame.look
    first = [
        piece(place_of(frame, heard), look.style("text")),
        piece(name_of(heard), look.style("strong")),
        piece(cut(look.words(request_of(heard)), frame.width // 2), look.style("text")),
    ]
    line = piece(f" {look.glyphs.pointer} ", look.style("strong"))
    line.append_text(flow([one for one in first if one.plain], frame.width - 5, gap=2))
    told = [piece(look.words(one), look.style("text")) for one in attributes(heard)]
    return [line, Text("   ").append_text(flow(told, frame.width - 5, gap=2))]


def attributes(heard: Heard) -> list[str]:
    """What the event says besides its name."""
    news = heard.news
    match news:
        case Record():
            return said.attribute_words(news.event)
        case Ended():
            return [f"process {news.process}"]
        case Lost():
            told = news.counts.items()
            return [f"{n.replace('_', ' ')} {words.count(c)}" for n, c in told if c]


def place_of(frame: Frame, heard: Heard) -> str:
    """Where it happened, as screens call it."""
    news = heard.news
    if not isinstance(news, Record):
        return ""
    return frame.names.place(Place(news.engine, news.role or Role.PRODUCER, news.rank))


def time_of(frame: Frame, heard: Heard) -> str:
    """The time of day by which it happened, or how long ago."""
    snapshot = frame.snapshot
    if frame.relative:
        return f"{frame.look.words(words.wait(max(snapshot.at - heard.at, 0)))} ago".rjust(_TIME)
    wall = snapshot.wall - snapshot.at + heard.at
    return words.moment_of_day(wall, frame.zone) if wall >= 0 else words.UNKNOWN


def _id_width(frame: Frame) -> int:
    return min(max(frame.width // 5, 20), 44)
