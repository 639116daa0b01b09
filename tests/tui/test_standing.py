"""What a person must do stays whole on the screen of a transfer, whatever else gives way."""

from contextlib import closing
from functools import cache
from pathlib import Path

import msgspec
import pytest

from kvtrace.cli.replaying import known_at
from kvtrace.snapshot import Snapshot
from kvtrace.sources.recording import length, open_recording
from kvtrace.tui.frame import Frame
from kvtrace.tui.glyphs import ASCII
from kvtrace.tui.look import Look
from kvtrace.tui.opened import Opened, find
from kvtrace.tui.page import page
from tests.tui import samples
from tests.tui.conftest import incident

LAB = Path(__file__).parents[2] / "examples" / "recordings" / "lab"
SMALL_REPLAY, SMALL, MIDDLE = (80, 18), (80, 21), (120, 36)
"""Columns, and rows that the page gets on a terminal of 80x24 or 120x40."""


@cache
def known(name: str) -> Snapshot:
    with closing(open_recording(LAB / f"{name}.kvtrace.gz")) as recording:
        return known_at(recording, length(LAB / f"{name}.kvtrace.gz") or 0)


def drawn(
    found: Opened, snapshot: Snapshot, size: tuple[int, int], look: Look | None = None
) -> str:
    frame = Frame(snapshot=snapshot, width=size[0], height=size[1] + 3, look=look or Look())
    return "\n".join(line.plain.rstrip() for line in page(found, frame, size[1]))


def said(text: str) -> str:
    """The text as one line, however it was wrapped."""
    return " ".join(text.split())


@pytest.mark.parametrize("size", [SMALL_REPLAY, SMALL, MIDDLE, (60, 21), (200, 56)])
@pytest.mark.parametrize(
    "name",
    ["rank-never-writes", "producer-cannot-reach", "write-not-posted-post", "prompts-differ"],
)
def test_what_to_do_is_whole(name: str, size: tuple[int, int]) -> None:
    snapshot = known(name)
    ids = {row.transfer.id for row in snapshot.rows} | {one.transfer.id for one in snapshot.done}
    told = 0
    for transfer in ids:
        found = find(snapshot, transfer)
        assert found is not None
        ended = found.done.diagnosis if found.done is not None else None
        why = snapshot.diagnoses.get(transfer, ended)
        if why is not None:
            told += 1
            assert f"DO {said(why.remedy)}" in said(drawn(found, snapshot, size))
    assert told


def test_what_to_do_gives_way_after_what_happened() -> None:
    found = find(incident(), samples.BROKEN)
    assert found is not None
    why = incident().diagnoses[samples.BROKEN]
    text = drawn(found, incident(), (80, 9))
    assert f"DO {said(why.remedy)}" in said(text)
    assert f" {why.label}: " in text
    assert "…" in next(line for line in text.splitlines() if why.label in line)


def test_lanes_and_the_time_give_way_before_what_to_do() -> None:
    found = find(incident(), samples.BROKEN)
    assert found is not None
    rooms = [drawn(found, incident(), (80, room)) for room in range(4, 40)]
    told = [said(incident().diagnoses[samples.BROKEN].remedy) in said(text) for text in rooms]
    timed = ["\n TIME" in text for text in rooms]
    lanes = ["\n P1 scheduler " in text for text in rooms]
    assert told.index(True) < lanes.index(True) < timed.index(True)
    for seen in (told, lanes, timed):
        assert all(seen[seen.index(True) :])


def test_cut_lines_say_so_and_are_ascii_where_the_terminal_is() -> None:
    found = find(incident(), samples.BROKEN)
    assert found is not None
    for room in range(1, 12):
        text = drawn(found, incident(), (30, room), Look(glyphs=ASCII))
        assert text.isascii()
    lines = drawn(found, incident(), (30, 4), Look(glyphs=ASCII)).splitlines()
    assert lines[-1].endswith(ASCII.cut)


def test_a_cause_of_low_confidence_says_so() -> None:
    snapshot = incident()
    low = next(
        (key, why) for key, why in snapshot.diagnoses.items() if why.confidence.value != "high"
    )
    found = find(snapshot, low[0])
    assert found is not None
    assert f"(confidence {low[1].confidence})" in said(drawn(found, snapshot, MIDDLE))


def test_nothing_is_told_twice_of_a_transfer_without_a_cause() -> None:
    row = next(row for row in incident().rows if not row.stalled)
    found = find(incident(), row.transfer.id)
    assert found is not None
    text = drawn(msgspec.structs.replace(found), incident(), SMALL)
    assert " DO " not in text
    assert text.count("Next: ") == 1
