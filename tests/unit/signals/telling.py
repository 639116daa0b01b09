"""Feeds stories and recordings to a deriver, and reads what comes out."""

from collections.abc import Iterable
from pathlib import Path

from kvtrace.model import Role
from kvtrace.moments import Moment, News, Record
from kvtrace.signals.account import Account, order
from kvtrace.signals.deriver import Deriver, half_of
from kvtrace.signals.reading import news_of
from kvtrace.signals.spans import STALL, TRANSFER, Span
from kvtrace.sources.recording import open_recording
from tests.unit.story import CLOCK, SECOND, Story

RECORDINGS = Path(__file__).parents[3] / "examples/recordings"
WHOLE = sorted(RECORDINGS.glob("*.kvtrace.gz"))


def spans_of(moments: Iterable[Moment], after: float = 60, clock: str = CLOCK) -> list[Span]:
    """What a deriver makes of these, asked whenever something arrives and for a while after."""
    deriver = Deriver(clock)
    made, last = [], 0
    for moment in moments:
        last = moment.at
        if moment.news is not None:
            made += deriver.take(moment.news, moment.at)
        made += deriver.tick(moment.at, moment.at)
    for step in range(int(after * 4)):
        now = last + step * SECOND // 4
        made += deriver.tick(now, now)
    return made


def at_once(news: Iterable[News], clock: str = CLOCK, at: int = 0) -> list[Span]:
    """What a deriver makes of all of this, told in one instant."""
    deriver = Deriver(clock)
    made = [span for one in news for span in deriver.take(one, at)]
    for step in range(1, 240):
        now = at + step * SECOND // 4
        made += deriver.tick(now, now)
    return made


def recorded(path: Path) -> tuple[str, list[Moment]]:
    """The clock and the moments of a recording."""
    recording = open_recording(path)
    moments = list(recording)
    recording.close()
    return recording.header.clock, moments


def named(spans: Iterable[Span], name: str, role: Role | None = None) -> list[Span]:
    """The spans of this name, and of this side."""
    return [
        span
        for span in spans
        if span.name == f"kvtrace.{name}"
        and (role is None or span.attributes["kvtrace.role"] == role.value)
    ]


def essence(spans: Iterable[Span], stalls: bool = False) -> set[str]:
    """The spans as they must be whenever they were made."""
    return {repr(span) for span in spans if stalls or span.name != STALL}


def keys(spans: Iterable[Span]) -> list[tuple[str, int]]:
    """Process and number of every span event, in all spans but those of stalls."""
    found = []
    for span in spans:
        for event in span.events if span.name != STALL else ():
            record = news_of(event.name, event.wall, event.attributes, {})
            assert isinstance(record, Record)
            found.append((record.process, record.seq))
    return found


def account_of(story: Story, role: Role = Role.CONSUMER, ranks: int = 0) -> Account:
    """What one side of the only request in the story told."""
    told = [m.news for m in story.moments if isinstance(m.news, Record)]
    mine = [record for record in told if record.role is role]
    whose = next(found for record in mine if (found := half_of(record)) is not None)
    return Account(
        engine=whose[0],
        role=role,
        request=whose[2],
        base="r1",
        records=tuple((record, record.at) for record in sorted(mine, key=order)),
        ranks=ranks,
    )


def root_of_side(spans: Iterable[Span], role: Role) -> Span:
    """The only root of this side."""
    (root,) = named(spans, TRANSFER.removeprefix("kvtrace."), role)
    return root
