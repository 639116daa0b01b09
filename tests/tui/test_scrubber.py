"""The bar of a replay, as text."""

from datetime import UTC

import msgspec
import pytest

from kvtrace.marks import Kind, Marking, Marks
from kvtrace.playback import MAX, Playback
from kvtrace.tui.frame import Frame
from kvtrace.tui.glyphs import ASCII
from kvtrace.tui.look import Look
from kvtrace.tui.scrubber import height, scrubber
from kvtrace.tui.track import Track, track
from tests.tui import samples

MINUTE = 60 * samples.S


def marks(*, whole: bool = True) -> Marks:
    made = Marking(MINUTE)
    for second in range(60):
        for _ in range(second):
            made.count(second * samples.S)
    made.mark(0, Kind.ENGINE)
    made.mark(30 * samples.S, Kind.STALLED)
    made.mark(30 * samples.S, Kind.FAILED)
    made.mark(45 * samples.S, Kind.STALLED)
    return made.marks(MINUTE if whole else MINUTE // 4, whole=whole)


TRACK = Track(length=MINUTE, position=15 * samples.S, started_at=samples.WALL, marks=marks())


def drawn(
    width: int = 80, rows: int = 24, look: Look | None = None, **changes: object
) -> list[str]:
    shown = msgspec.structs.replace(TRACK, **changes)
    frame = Frame(width=width, height=rows, track=shown, zone=UTC, look=look or Look())
    return [line.plain for line in scrubber(frame)]


def test_the_bar_says_where_one_is_and_what_comes() -> None:
    density, bar, state = drawn()
    assert density.startswith("     0 ev/s ")
    assert density.rstrip().endswith("▇")
    assert bar.startswith("  14:02:37  ◆")
    assert bar.endswith("  14:03:37")
    assert bar.index("█") == 12 + 14
    assert bar.index("✗") > bar.index("█")
    assert state.startswith(" ► 1x     14:02:52.000   25%  next ✗ in 15.0 s")


def test_the_worst_of_several_marks_in_a_column_is_shown() -> None:
    assert drawn()[1].count("!") == 1
    assert drawn()[1].count("✗") == 1


@pytest.mark.parametrize("width", [43, 60, 80, 120, 200])
@pytest.mark.parametrize("rows", [10, 20, 60])
def test_no_row_is_wider_than_the_screen(width: int, rows: int) -> None:
    for changes in ({}, {"said": "no transfer has 'x' in its id " * 9}, {"searched": 0.5}):
        assert all(len(line) <= width for line in drawn(width, rows, **changes))


@pytest.mark.parametrize(
    ("width", "rows", "expected"), [(80, 24, 3), (80, 12, 1), (80, 9, 0), (40, 24, 0)]
)
def test_it_gives_way_where_there_is_little_room(width: int, rows: int, expected: int) -> None:
    assert (
        height(Frame(width=width, height=rows, track=TRACK)) == len(drawn(width, rows)) == expected
    )


def test_live_has_no_bar() -> None:
    assert scrubber(Frame()) == []


def test_while_one_goes_elsewhere_it_says_how_far() -> None:
    assert "going there, 43%" in drawn(searched=0.43)[2]


def test_what_went_wrong_is_said() -> None:
    assert "~ no transfer has 'x' in its id" in drawn(said="no transfer has 'x' in its id")[2]


def test_until_all_was_looked_through_it_says_how_far() -> None:
    state = drawn(marks=marks(whole=False), position=50 * samples.S)[2]
    assert state.endswith("marks up to 25%")
    assert "trouble" not in state


def test_where_no_mark_comes_it_says_so_and_does_not_say_that_all_is_well() -> None:
    assert "no further trouble marked" in drawn(position=50 * samples.S)[2]


def test_where_there_is_no_trouble_at_all_it_says_so() -> None:
    none = Marking(MINUTE)
    none.mark(0, Kind.ENGINE)
    assert "  no trouble marked" in drawn(marks=none.marks(MINUTE, whole=True))[2]


def test_paused_and_over_have_their_signs() -> None:
    assert drawn(paused=True)[2].startswith(" ‖ ")
    assert drawn(over=True)[2].startswith(" ✓ ")
    assert "the recording is over" in drawn(over=True)[2]


def test_full_speed_is_called_max() -> None:
    assert drawn(speed=MAX)[2].startswith(" ► max ")


def test_in_ascii_nothing_else_is_drawn() -> None:
    assert all(line.isascii() for line in drawn(look=Look(glyphs=ASCII)))


def test_without_a_time_of_day_it_counts_from_the_start() -> None:
    _, bar, state = drawn(started_at=0)
    assert bar.endswith("  1m 00s")
    assert "15.0 s" in state


def test_a_column_and_its_position_lead_to_each_other() -> None:
    for column in range(57):
        assert TRACK.column(TRACK.at(column, 57), 57) == column


def test_what_can_only_be_played_forward_has_no_track() -> None:
    assert track(Playback(0), samples.snapshot([])) is None
