"""Whatever the snapshot, the screens say its numbers."""

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from kvtrace import words
from kvtrace.causes import ABOUT
from kvtrace.snapshot import Snapshot
from kvtrace.tui import cause_page, engine_page, event_page, link_page
from kvtrace.tui.frame import Frame
from kvtrace.tui.losses import losses
from kvtrace.tui.matrix import SECOND, Seen
from kvtrace.tui.opened import find
from kvtrace.tui.page import page
from kvtrace.tui.phases import phases
from tests.tui.conftest import incident
from tests.tui.samples import BROKEN

NUMBERS = st.integers(min_value=0, max_value=10**7)
TIMES = st.integers(min_value=0, max_value=10**15)


def frame(snapshot: Snapshot) -> Frame:
    return Frame(snapshot=snapshot, width=200, height=60)


@settings(deadline=None, max_examples=30)
@given(st.none() | TIMES, st.none() | TIMES, NUMBERS, NUMBERS, NUMBERS, TIMES)
def test_the_chosen_link_says_its_own_numbers(
    oldest: int | None, rate: int | None, stalled: int, writes: int, failed: int, moved: int
) -> None:
    known = incident()
    line = msgspec.structs.replace(
        known.links[0],
        **{"oldest": oldest, "rate": rate, "stalled": stalled, "writes": writes},
        **{"failed": failed, "moved": moved, "in_flight": stalled},
    )
    shown = frame(msgspec.structs.replace(known, links=(line,)))
    seen = Seen(cursor=(line.link.producer, line.link.consumer))
    said = "\n".join(one.plain for one in link_page.page(shown, seen, 56).lines)
    assert f"{words.count(stalled)} in flight" in said
    assert f"moved {words.size(moved)}" in said
    assert words.many(writes, "write") in said
    assert f"failed {words.count(failed)}" in said
    assert f"oldest {words.wait(oldest)}" in said or oldest is None
    assert (words.throughput(rate, SECOND) if rate is not None else "no writes lately") in said


@settings(deadline=None, max_examples=30)
@given(NUMBERS, NUMBERS)
def test_an_engine_says_its_own_numbers(in_flight: int, ranks: int) -> None:
    known = incident()
    engine = msgspec.structs.replace(
        known.engines[0], in_flight=in_flight, ranks=ranks, blocks=0, name="P0"
    )
    shown = frame(msgspec.structs.replace(known, engines=(engine,)))
    lines = [one.plain for one in engine_page.page(shown, engine.id, 56)]
    row = next(line for line in lines if "alive" in line)
    numbers = row.partition("alive")[2].split()
    assert numbers[:3] == [words.count(in_flight), words.UNKNOWN, words.count(ranks)]


@settings(deadline=None, max_examples=30)
@given(NUMBERS, st.floats(min_value=0, max_value=1e6))
def test_events_are_counted_as_the_snapshot_counts_them(events: int, rate: float) -> None:
    shown = frame(msgspec.structs.replace(incident(), events=events, rate=rate))
    said = event_page.verdict(shown).plain
    assert f" {words.per_second(rate).removesuffix('/s')} events a second" in said
    assert f"{words.count(events)} in all" in said
    assert f"last {words.count(len(incident().tail))} are kept" in said or "All are kept" in said


def test_an_event_line_says_its_time_place_and_name() -> None:
    shown = frame(incident())
    for heard in incident().tail[-50:]:
        line = event_page.event_line(shown, heard, selected=False).plain
        assert event_page.time_of(shown, heard) in line
        assert event_page.place_of(shown, heard) in line
        assert event_page.name_of(heard) in line


@settings(deadline=None, max_examples=30)
@given(NUMBERS, NUMBERS, st.floats(min_value=0, max_value=1e6), st.none() | TIMES)
def test_the_phase_strip_says_the_numbers_of_each_phase(
    waiting: int, stalled: int, rate: float, wait: int | None
) -> None:
    known = incident()
    numbers = {"waiting": waiting, "stalled": stalled, "rate": rate, "p50": wait, "p99": wait}
    every = tuple(msgspec.structs.replace(one, **numbers) for one in known.phases)
    _, *lines = phases(frame(msgspec.structs.replace(known, phases=every)))
    assert len(lines) == len(every)
    for line in lines:
        told = line.plain
        assert f" {words.count(waiting)} " in told
        assert f"! {words.count(stalled)} " in told or not stalled
        assert words.per_second(rate) in told
        assert told.count(words.duration(wait)) >= 2


@settings(deadline=None, max_examples=30)
@given(st.integers(min_value=1, max_value=10**7), NUMBERS, TIMES)
def test_a_cause_says_its_own_numbers(stalled: int, ended: int, oldest: int) -> None:
    known = incident()
    line = msgspec.structs.replace(known.causes[0], stalled=stalled, ended=ended, oldest=oldest)
    shown = frame(msgspec.structs.replace(known, causes=(line,)))
    told = [one.plain for one in cause_page.page(shown, line.cause, 56)]
    assert f"{words.count(stalled)} in trouble  for 1 cause." in "\n".join(told)
    row = next(one for one in told if ABOUT[line.cause].label in one and "in trouble" not in one)
    assert row.startswith("▌")
    assert f" {words.count(stalled)} " in row
    assert f" {words.count(ended) if ended else words.UNKNOWN} " in row
    assert f" {words.wait(oldest)} " in row


@settings(deadline=None, max_examples=30)
@given(NUMBERS, NUMBERS, NUMBERS, TIMES)
def test_the_last_line_but_one_says_every_loss(
    overwritten: int, unreadable: int, refused: int, lag: int
) -> None:
    known = incident()
    lost = {"overwritten": overwritten, "unreadable": unreadable, "refused": refused, "lag": lag}
    losses_known = msgspec.structs.replace(known.losses, **lost)
    told = losses(frame(msgspec.structs.replace(known, losses=losses_known))).plain
    for name in ("overwritten", "unreadable", "refused"):
        assert f"~ {name} {words.count(lost[name])}" in told or not lost[name]
    assert (f"~ lag {words.duration(lag)}" in told) is (lag > 10**9)


@settings(deadline=None, max_examples=20)
@given(st.integers(min_value=0, max_value=7), TIMES)
def test_a_transfer_says_its_own_numbers(count: int, waited: int) -> None:
    found = find(incident(), BROKEN)
    assert found is not None
    assert found.row is not None
    row = msgspec.structs.replace(found.row, ranks=(count, 1), waited=waited)
    opened = msgspec.structs.replace(found, row=row)
    first = page(opened, frame(incident()), 56)[1].plain
    assert words.wait(waited) in first
    assert words.size(row.size) in first
    assert f"{words.count(count)} of 1 rank written" in first
