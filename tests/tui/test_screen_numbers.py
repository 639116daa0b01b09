"""Whatever the snapshot, the screens of links, engines and events say its numbers."""

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from kvtrace import words
from kvtrace.snapshot import Snapshot
from kvtrace.tui import engine_page, event_page, link_page
from kvtrace.tui.frame import Frame
from kvtrace.tui.matrix import SECOND, Seen
from tests.tui.conftest import incident

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
