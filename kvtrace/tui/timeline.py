"""Draws a transfer's lanes: what happened where, what led to what, and what is missing."""

from collections.abc import Sequence

from rich.text import Text

from kvtrace.lanes import Bar, Lane, Point
from kvtrace.model import Place
from kvtrace.timeline import Message
from kvtrace.tui.axis import Axis
from kvtrace.tui.canvas import Canvas
from kvtrace.tui.frame import Frame
from kvtrace.tui.opened import Opened, key_of
from kvtrace.tui.text import cells, pad, piece
from kvtrace.words import duration, event

_PHASE = {
    "prefill": "readiness",
    "handshake": "write",
    "write": "write",
    "registration": "registration",
    "completion": "completion",
}
"""Whose colour bars and messages have."""

_FAILURES = ("failed", "failure", "expired")


def lane_name(lane: Lane, frame: Frame) -> str:
    """The place, with a sign before it where the lane shows its handshakes."""
    name = frame.names.place(lane.place)
    return f"{frame.look.glyphs.handshake} {name}" if lane.handshake else name


def name_width(lanes: Sequence[Lane], frame: Frame) -> int:
    """How many cells the lanes' names take, with space after them."""
    return max((cells(lane_name(lane, frame)) for lane in lanes), default=0) + 2


class Lanes:
    """A drawing of lanes, `step` rows apart, on one axis."""

    def __init__(
        self, opened: Opened, lanes: Sequence[Lane], axis: Axis, frame: Frame, step: int = 1
    ) -> None:
        self._opened = opened
        self._lanes = lanes
        self._axis = axis
        self._frame = frame
        self._look = frame.look
        self._step = step
        self._width = axis.width
        self._canvas = Canvas(self._width, (len(lanes) - 1) * step + 1)

    def draw(self) -> list[Text]:
        """The rows, each with its lane's name."""
        every = [(index * self._step, lane) for index, lane in enumerate(self._lanes)]
        for y, lane in every:
            self._ground(y, lane)
            for bar in lane.bars:
                self._bar(y, bar)
        rows = {lane.place: y for y, lane in every if not lane.handshake}
        for message in self._opened.timeline.messages:
            if message.source in rows and message.target in rows:
                self._message(message, rows[message.source], rows[message.target])
        for draw in (self._points, self._missing, self._bar_labels, self._labels):
            for y, lane in every:
                draw(y, lane)
        return self._named(dict(every))

    def _ground(self, y: int, lane: Lane) -> None:
        quiet = self._look.style("rule")
        for x in range(0, self._width, 2):
            self._canvas.put(x, y, self._look.glyphs.quiet, quiet, ground=True)
        if not lane.seen:
            who = f" {self._look.glyphs.unseen} {self._unheard(lane.place)} not heard from "
            self._canvas.put(2, y, who, self._look.style("slow"))

    def _unheard(self, place: Place) -> str:
        """The engine that sends no events; its side where its name is not known either."""
        if not place.engine:
            return f"{place.role} side"
        return self._frame.names.engine(place.engine)

    def _bar(self, y: int, bar: Bar) -> None:
        left, right = self._span(bar)
        texture = self._look.glyphs.textures[1 if bar.kind == "prefill" else 2]
        sign = " " if self._look.colour else texture
        self._canvas.put(left, y, sign * (right - left), self._bar_style(bar))

    def _bar_style(self, bar: Bar) -> str:
        return self._look.block(_PHASE.get(bar.kind, "muted")) if self._look.colour else ""

    def _bar_labels(self, y: int, lane: Lane) -> None:
        """What lasted how long: in the bar if there is room, or else behind it."""
        for bar in lane.bars:
            left, right = self._span(bar)
            took = duration(
                (self._opened.timeline.end if bar.ended is None else bar.ended) - bar.began
            )
            told = [self._look.words(text) for text in (f"{bar.kind} {took}", took)]
            inside = next((text for text in told if cells(text) + 3 <= right - left), None)
            if inside is not None:
                style = self._bar_style(bar) or "bold"
                self._canvas.put(left + 1, y, f" {inside} ", style)
            else:
                self._beside(right, y, told[0], self._look.style("muted"))

    def _message(self, message: Message, source: int, target: int) -> None:
        """A line down or up from where it was sent, and then across to where it was noticed."""
        if message.noticed is None:
            return
        glyphs = self._look.glyphs
        style = self._look.style(_PHASE.get(message.kind, "muted"))
        x, end = self._axis.column(message.sent), self._axis.column(message.noticed)
        down = 1 if target > source else -1
        for y in range(source + down, target, down):
            self._line(x, y, glyphs.down, style)
        if end > x:
            corner = glyphs.down_across if down > 0 else glyphs.up_across
            self._line(x, target, corner, style)
            for column in range(x + 1, end):
                self._line(column, target, glyphs.across, style)

    def _line(self, x: int, y: int, sign: str, style: str) -> None:
        glyphs = self._look.glyphs
        present = self._canvas.sign(x, y)
        if {present, sign} == {glyphs.down, glyphs.across}:
            sign = glyphs.crossing
        lines = (glyphs.down, glyphs.across, glyphs.down_across, glyphs.up_across, glyphs.crossing)
        if present in lines or self._canvas.is_free(x, y, 1):
            self._canvas.put(x, y, sign, style)

    def _points(self, y: int, lane: Lane) -> None:
        points = self._opened.points
        under = key_of(points[self._opened.cursor]) if points else None
        for point in sorted(
            lane.points, key=lambda point: (key_of(point) == under, is_failure(point))
        ):
            sign, style = self._look.glyphs.event, self._look.style("text")
            if is_failure(point):
                sign = self._look.glyphs.failed
                style = self._look.style("slow" if "expired" in point.kind else "stalled")
            if key_of(point) == under:
                style = f"reverse {self._look.style('strong')}"
            self._canvas.put(self._axis.column(point.at), y, sign, style)

    def _missing(self, y: int, lane: Lane) -> None:
        """From the last that is known to the edge, with the name of the step."""
        due = [one for one in self._opened.timeline.missing if one.place == lane.place]
        if not due or lane.handshake or not lane.seen:
            return
        held = due[0].first and self._opened.stalled
        style = self._look.style("stalled" if held else "muted")
        last = max((point.at for point in lane.points), default=self._axis.instants[0])
        glyphs, left = self._look.glyphs, self._axis.column(last) + 2
        name = f" {'never came' if held else 'not yet'}: {event(due[0].kind)} "
        room = self._width - 1 - left
        line = glyphs.gap * room if room < cells(name) + 4 else ""
        if not line:
            line = glyphs.gap * (room - cells(name) - 2) + name + glyphs.gap * 2
        if room >= 0:
            self._canvas.put(left, y, line, style)
        self._canvas.put(self._width - 1, y, glyphs.missing, style)

    def _labels(self, y: int, lane: Lane) -> None:
        """What each point is, where there is room, failures first."""
        for point in sorted(lane.points, key=lambda point: not is_failure(point)):
            style = self._look.style("stalled" if is_failure(point) else "muted")
            self._beside(self._axis.column(point.at) + 1, y, point.label, style)

    def _beside(self, x: int, y: int, text: str, style: str) -> None:
        if self._canvas.is_free(x, y, cells(text) + 2):
            self._canvas.put(x, y, f" {text} ", style)

    def _span(self, bar: Bar) -> tuple[int, int]:
        left = self._axis.column(bar.began)
        if bar.ended is None:
            return left, self._width
        return left, max(self._axis.column(bar.ended), left + 1)

    def _named(self, lanes: dict[int, Lane]) -> list[Text]:
        left = name_width(self._lanes, self._frame)
        step = self._opened.next_step
        drawn = []
        for y, line in enumerate(self._canvas.lines()):
            lane = lanes.get(y)
            name = lane_name(lane, self._frame) if lane is not None else ""
            held = lane is not None and step is not None and step.place == lane.place
            hot = held and self._opened.stalled and lane is not None and not lane.handshake
            style = self._look.style("stalled" if hot else "text")
            drawn.append(piece(" " + pad(name, left), style).append_text(line))
        return drawn


def is_failure(point: Point) -> bool:
    """Whether the event tells of something that did not work."""
    return point.kind.rpartition(".")[2].endswith(_FAILURES) or point.kind.startswith("failure")
