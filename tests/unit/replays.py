"""Recordings in memory that can be walked through, and players over them."""

from collections.abc import Iterator

import msgspec

from kvtrace.checkpoints import Checkpoints
from kvtrace.moments import Moment, Record
from kvtrace.playback import Playback
from kvtrace.player import Player
from kvtrace.recording import Header
from kvtrace.seeking import Span
from kvtrace.walk import Walk
from tests.tui import samples
from tests.unit.moments import START, WALL

LATER = START + 310 * samples.S - samples.START


def _later(moment: Moment) -> Moment:
    news = moment.news
    if isinstance(news, Record):
        news = msgspec.structs.replace(news, at=news.at + LATER)
    return Moment(moment.at + LATER, news)


BUSY = [_later(one) for one in samples.moments(samples.incident()[:60], samples.START)]
"""Some sixty transfers, seven of which hang."""


class Reel:
    """Moments that are read again from a place on."""

    def __init__(self, moments: list[Moment], clock: str = "boot") -> None:
        self.header = Header(kvtrace=1, started_at=WALL, monotonic=START, clock=clock)
        self.damage = ""
        self.place = 0
        self._moments = moments

    def __iter__(self) -> Iterator[Moment]:
        while self.place < len(self._moments):
            self.place += 1
            yield self._moments[self.place - 1]

    def go(self, place: int) -> None:
        self.place = place


def walk(moments: list[Moment], clock: str = "boot") -> Walk:
    return Walk(Reel(moments, clock))


def length(moments: list[Moment]) -> int:
    return moments[-1].at - START if moments else 0


class Clock:
    """Ours, which stands still until it is told to go on."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        return self.now


def player(
    moments: list[Moment],
    *,
    kept: Checkpoints | None = None,
    clock: str = "boot",
    now: Clock | None = None,
    speed: float = 1.0,
) -> tuple[Player, Playback]:
    playback = Playback(START, length=length(moments), speed=speed, now=now or Clock())
    made = Player(
        walk(moments, clock),
        playback,
        Span(started_at=WALL, length=length(moments)),
        kept=kept or Checkpoints(apart=5, most=4),
        first=lambda text: None,
    )
    return made, playback
