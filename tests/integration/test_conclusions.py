"""The way that only concludes says what the whole way says: of kept and of altered recordings."""

import random
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from kvtrace.diagnosis import rounds
from kvtrace.moments import Moment
from kvtrace.monitor import conclude, watch
from kvtrace.snapshot import Row, Snapshot, Stalls
from kvtrace.sources.recording import open_recording

RECORDINGS = Path(__file__).parents[2] / "examples" / "recordings"
EVERY = sorted(RECORDINGS.rglob("*.kvtrace.gz"))


def as_kept(moments: list[Moment], _: random.Random) -> Iterator[Moment]:
    yield from moments


def some_dropped(moments: list[Moment], chance: random.Random) -> Iterator[Moment]:
    yield from (one for one in moments if chance.random() > 0.2)


def some_told_twice(moments: list[Moment], chance: random.Random) -> Iterator[Moment]:
    before: list[Moment] = []
    for one in moments:
        yield one
        before.append(one)
        if chance.random() < 0.2:
            yield Moment(one.at, chance.choice(before).news)


def out_of_order(moments: list[Moment], chance: random.Random) -> Iterator[Moment]:
    places = sorted(range(len(moments)), key=lambda place: place + chance.uniform(0, 20))
    for one, place in zip(moments, places, strict=True):
        yield Moment(one.at, moments[place].news)


def half_and_long_silence(moments: list[Moment], _: random.Random) -> Iterator[Moment]:
    half = moments[: len(moments) // 2]
    yield from half
    yield from (Moment(half[-1].at + second * 10**9) for second in range(1, 61))


def stalled(found: Snapshot | Stalls) -> list[Row]:
    return [row for row in found.rows if row.stalled or row.gone]


@pytest.mark.parametrize(
    "altered", [as_kept, some_dropped, some_told_twice, out_of_order, half_and_long_silence]
)
def test_what_is_concluded_is_what_was_watched(
    altered: Callable[[list[Moment], random.Random], Iterator[Moment]],
) -> None:
    assert EVERY
    for path in EVERY:
        with closing(open_recording(path)) as recording:
            clock, moments = recording.header.clock, list(recording)
        moments = list(altered(moments, random.Random(path.name)))
        watched = list(watch(moments, clock=clock))
        noted: list[Snapshot | Stalls] = []
        assert conclude(moments, noted.append, clock=clock) == watched[-1], path.name
        assert [(stalled(one), one.diagnoses) for one in noted] == [
            (stalled(one), one.diagnoses) for one in watched
        ], path.name


def test_what_is_plainly_well_no_rule_would_name(monkeypatch: pytest.MonkeyPatch) -> None:
    for path in EVERY:
        with closing(open_recording(path)) as recording:
            clock, moments = recording.header.clock, list(recording)
        quick = conclude(moments, lambda _: None, clock=clock)
        with monkeypatch.context() as every:
            every.setattr(rounds, "is_well", lambda *_: False)
            assert conclude(moments, lambda _: None, clock=clock) == quick, path.name
