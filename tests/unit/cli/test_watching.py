"""Live and replay are one stream."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings

from kvtrace.cli.watching import Reopened, snapshots, started
from kvtrace.errors import BlackBoxError
from kvtrace.moments import Moment
from kvtrace.playback import MAX, Playback
from kvtrace.recording import Header, Reader, Scribe
from kvtrace.snapshot import Snapshot
from tests.unit.moments import SECOND, START, WALL, moment, record, streams

HEADER = Header(kvtrace=1, started_at=WALL, monotonic=START, clock="boot")


def replayed(stream: list[Moment]) -> list[Moment]:
    scribe, reader = Scribe(HEADER), Reader(HEADER)
    lines = b"".join(scribe.lines(one) for one in stream).splitlines()
    moments = [found for line in lines if (found := reader.moment(line)) is not None]
    return list(Playback(START, speed=MAX).play(moments))


def at_leisure(snapshot: Snapshot) -> Snapshot:
    """Without the lag, which is that since the last snapshot, and so depends on when that was."""
    losses = msgspec.structs.replace(snapshot.losses, lag=0)
    return msgspec.structs.replace(snapshot, losses=losses)


@settings(max_examples=30, deadline=None)
@given(streams())
def test_replay_gives_the_same_snapshots_as_live(stream: list[Moment]) -> None:
    heard = [one for one in stream if one.news is not None]
    assert list(snapshots(replayed(heard), HEADER)) == list(snapshots(heard, HEADER))


@settings(max_examples=30, deadline=None)
@given(streams(least=1))
def test_silence_between_changes_no_snapshot(stream: list[Moment]) -> None:
    """Both are looked at with each moment: clocks and names are those of the last look."""
    live = {one.at: at_leisure(one) for one in snapshots(stream, HEADER, every=1)}
    again = {one.at: at_leisure(one) for one in snapshots(replayed(stream), HEADER, every=1)}
    both = live.keys() & again.keys()
    assert [again[at] for at in both] == [live[at] for at in both]


def test_the_time_of_day_is_the_recorders() -> None:
    found = list(snapshots([moment(1, record(wall=5)), moment(3)], HEADER))
    assert [one.wall for one in found] == [WALL + SECOND, WALL + 3 * SECOND]


def test_a_watch_starts_on_this_hosts_clocks(tmp_path: Path) -> None:
    path = tmp_path / "boot_id"
    path.write_text("6b1f\n")
    assert started(path).clock == "6b1f"
    assert started(tmp_path / "gone").clock == ""


def test_a_source_is_opened_anew_after_its_error_and_not_after_its_end() -> None:
    opened: list[int] = []

    def source() -> Iterator[Snapshot]:
        opened.append(len(opened))
        yield from snapshots([Moment(START)], HEADER)
        if len(opened) == 1:
            raise BlackBoxError("cannot be listed")

    shown = Reopened(source)
    assert next(shown).at == START
    with pytest.raises(BlackBoxError):
        next(shown)
    assert [one.at for one in shown] == [START]
    assert list(shown) == []
    assert opened == [0, 1]
    shown.close()
