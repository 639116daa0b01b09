"""Whatever the snapshot, the screen says its numbers, and fits."""

import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kvtrace import words
from kvtrace.model import Phase
from kvtrace.snapshot import Losses, PhaseLine, Snapshot, Totals
from kvtrace.tui import panels
from kvtrace.tui.fitting import Columns
from kvtrace.tui.fleet import FleetScreen
from kvtrace.tui.frame import NOTHING, Frame
from kvtrace.tui.glyphs import ASCII
from kvtrace.tui.header import header
from kvtrace.tui.listing import Item
from kvtrace.tui.look import Look
from kvtrace.tui.losses import losses
from kvtrace.tui.phases import phases
from kvtrace.tui.rows import fitting_columns, table_line
from kvtrace.tui.surround import Surround
from kvtrace.tui.verdict import verdict
from tests.tui.conftest import incident

NUMBERS = st.integers(min_value=0, max_value=10**7)
TIMES = st.integers(min_value=0, max_value=10**15)


def phase_lines() -> st.SearchStrategy[tuple[PhaseLine, ...]]:
    line = st.builds(
        PhaseLine,
        phase=st.sampled_from(Phase),
        waiting=NUMBERS,
        stalled=NUMBERS,
        rate=st.floats(min_value=0, max_value=1e5),
        count=NUMBERS,
        p50=st.none() | TIMES,
        p99=st.none() | TIMES,
        history=st.lists(st.integers(min_value=-1, max_value=10**12), max_size=40).map(tuple),
    )
    return st.tuples(line, line, line, line)


def snapshots() -> st.SearchStrategy[Snapshot]:
    return st.builds(
        Snapshot,
        at=TIMES,
        wall=TIMES,
        totals=st.builds(
            Totals,
            waiting=NUMBERS,
            stalled=NUMBERS,
            finished=NUMBERS,
            failed=NUMBERS,
            abandoned=NUMBERS,
        ),
        oldest=st.none() | TIMES,
        phases=phase_lines(),
        rows=st.just(()),
        done=st.just(()),
        engines=st.deferred(lambda: st.just(incident().engines[:4])),
        losses=st.builds(
            Losses,
            **dict.fromkeys(
                (
                    *("overwritten", "unreadable", "unknown", "ledger_full"),
                    *("refused", "turned_away", "forgotten"),
                ),
                NUMBERS,
            ),
            clock_error=TIMES,
            lag=TIMES,
        ),
        events=NUMBERS,
        rate=st.floats(min_value=0, max_value=1e6),
    )


@settings(deadline=None, max_examples=30)
@given(snapshots())
def test_the_verdict_counts_what_the_snapshot_counts(snapshot: Snapshot) -> None:
    totals = snapshot.totals
    said = verdict(Frame(snapshot=snapshot, width=200, height=40))[0].plain
    if totals.stalled and totals.waiting:
        assert (
            f" {words.count(totals.stalled)} stalled  of {words.count(totals.waiting)} in" in said
        )
    if totals.failed:
        assert f"{words.count(totals.failed)} failed" in said


@settings(deadline=None, max_examples=30)
@given(snapshots())
def test_each_phase_says_its_own_numbers(snapshot: Snapshot) -> None:
    lines = phases(Frame(snapshot=snapshot, width=200, height=40))[1:]
    for line, drawn in zip(snapshot.phases, lines, strict=True):
        assert f"[{line.phase.letter}]" in drawn.plain or f" {line.phase.letter} " in drawn.plain
        said = drawn.plain[18:]
        assert words.count(line.waiting) in said
        assert words.duration(line.p50) in said
        assert words.duration(line.p99) in said
        assert words.per_second(line.rate) in said


@settings(deadline=None, max_examples=30)
@given(snapshots(), st.integers(min_value=20, max_value=220))
def test_losses_that_are_not_zero_are_said_at_any_width(snapshot: Snapshot, width: int) -> None:
    said = losses(Frame(snapshot=snapshot, width=width, source="/dev/shm/kvtrace-1000")).plain
    known = snapshot.losses
    counted = (known.overwritten, known.unreadable, known.unknown, known.ledger_full)
    parts = (*counted, known.refused, known.turned_away, known.forgotten)
    if any(parts):
        whole = words.count(sum(parts))
        assert f"lost {whole}" in said or all(words.count(part) in said for part in parts if part)
    assert len(said) <= width


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(
    snapshots(),
    st.integers(min_value=20, max_value=220),
    st.integers(min_value=5, max_value=70),
    st.booleans(),
)
def test_nothing_is_wider_or_higher_than_the_screen(
    snapshot: Snapshot, width: int, height: int, ascii_only: bool
) -> None:
    look = Look(glyphs=ASCII) if ascii_only else Look()
    frame = Frame(snapshot=snapshot, width=width, height=height, look=look, source="4 black boxes")
    path = Surround(FleetScreen.frame, lambda: ["Fleet"], (), panels.surround)
    drawn = [panels.top, panels.strip_of_phases, panels.line_of_engines, path.losses, path.keys]
    lines = [line for draw in drawn for line in draw(frame)]
    lines += [header(frame, ["Fleet"])] if panels.surround(frame).header else []
    assert all(line.cell_len <= width for line in lines)
    assert len(lines) <= height
    if ascii_only:
        assert all(line.plain.isascii() for line in lines)


def test_a_row_says_what_the_snapshot_says() -> None:
    frame = Frame(snapshot=incident(), width=160, height=40)
    shown: Columns = fitting_columns(frame)
    for row in incident().rows:
        line = table_line(frame, Item(key=row.transfer.id, row=row), shown, selected=False).plain
        assert line[1] == ("!" if row.stalled else " ")
        assert line[3:11].strip() == words.wait(row.waited)
        assert line[12] == row.phase.letter
        assert f"{row.link.producer} → {row.link.consumer}" in line
        assert words.wait(row.age) in line
        assert re.search(rf"{row.id}\s*$", line)


def test_nothing_known_is_no_crash_at_any_size() -> None:
    for width in range(10, 200, 7):
        for height in range(4, 60, 5):
            frame = Frame(snapshot=NOTHING, width=width, height=height)
            assert panels.top(frame)
