"""What holds for the whole core, whatever arrives and in whatever order."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from kvtrace.census import Census
from kvtrace.events import AnyEvent
from kvtrace.model import Phase, Role
from kvtrace.moments import Ended, Moment, Record
from kvtrace.snapshot import Snapshot
from kvtrace.timeline import timeline
from tests.unit import samples
from tests.unit.story import CLOCK, SECOND, D, Engine, P, Story

FAR = Engine(name="P0", role=Role.PRODUCER, clock="host-2", ahead=50)


def two_ranks(producer: Engine = P) -> list[Moment]:
    """Two ranks on each side, up to the first rank's landing."""
    story = Story().at(0, samples.process_started(tp_size=2), by=D)
    story.at(0, *samples.CONSUMER_FIRST[:4])
    for rank in (0, 1):
        story.at(1 + rank, samples.registration_queued(), rank=rank)
        story.at(2 + rank, samples.registration_sent(peer_rank=rank), rank=rank)
    story.at(4, *samples.PRODUCER_FIRST[:3], by=producer)
    for rank in (0, 1):
        story.at(5, samples.blocks_queued(), rank=rank, by=producer)
        story.at(6, *samples.WRITING[:2], rank=rank, by=producer)
        story.at(7, samples.write_posted(peer_rank=rank), rank=rank, by=producer)
    story.at(9, samples.notification_noticed()).at(9, samples.write_finished(), by=producer)
    return story.moments


def look(moments: list[Moment], at: int = 20 * SECOND) -> Snapshot:
    census = Census(CLOCK)
    for moment in moments:
        census.take(Moment(at, moment.news))
    return census.snapshot(at)


def essence(snapshot: Snapshot) -> list[tuple[object, ...]]:
    return [
        (row.phase, row.waited, row.age, row.waits_for, row.ranks, row.transfer.joined, row.link)
        for row in snapshot.rows
    ]


@given(st.permutations(two_ranks()), st.lists(st.sampled_from(two_ranks()), max_size=9))
def test_the_order_of_arrival_does_not_matter(order: list[Moment], again: list[Moment]) -> None:
    expected = essence(look(two_ranks()))
    assert expected[0][0] is Phase.WRITE
    assert essence(look(order + again)) == expected


@given(st.permutations(two_ranks(FAR)))
def test_nor_does_it_across_hosts(order: list[Moment]) -> None:
    (expected,) = essence(look(two_ranks(FAR)))
    (found,) = essence(look(order))
    assert (found[0], found[3:]) == (expected[0], expected[3:])


ids = st.sampled_from(["", "r1", "r1-aaaaaaaa", "r1-bbbbbbbb", "r1-cccccccc", "r2-aaaaaaaa"])
engines = st.sampled_from(["", "P0", "D0", "a-long-name-of-an-engine"])


def scrambled(event: AnyEvent) -> st.SearchStrategy[AnyEvent]:
    """The event with other ids, engines, ranks and numbers."""
    choices: dict[str, st.SearchStrategy[object]] = {
        "request": ids,
        "remote_request": ids,
        "producer": engines,
        "consumer": engines,
        "peer": engines,
        "peer_rank": st.integers(-1, 2),
        "ordinal": st.integers(0, 2),
        "count": st.integers(0, 3),
        "needed": st.integers(0, 3),
        "held": st.booleans(),
        "parked": st.booleans(),
        "failed": st.booleans(),
        "tp_size": st.integers(0, 3),
        "clock_offset": st.none() | st.integers(-99, 99),
    }
    fields = {name: choices[name] for name in event.__struct_fields__ if name in choices}
    make: Callable[..., AnyEvent] = type(event)
    return st.fixed_dictionaries(fields).map(lambda chosen: make(**chosen))


records = st.builds(
    Record,
    process=st.sampled_from("xyz"),
    seq=st.integers(1, 99),
    at=st.integers(0, 99 * SECOND),
    wall=st.integers(0, 99 * SECOND),
    clock=st.sampled_from([CLOCK, "host-2", "host-3"]),
    engine=engines,
    role=st.sampled_from([None, *Role]),
    rank=st.integers(-1, 2),
    event=st.sampled_from(samples.SAMPLES).flatmap(scrambled),
)
endings = st.builds(Ended, process=st.sampled_from("xyz"), goodbye=st.booleans())


@given(st.lists(records | endings, max_size=40))
def test_whatever_arrives_is_shown_and_adds_up(news: list[Record | Ended]) -> None:
    snapshot = look([Moment(0, one) for one in news])
    assert snapshot.totals.waiting == len(snapshot.rows)
    assert sum(line.waiting for line in snapshot.phases) == len(snapshot.rows)
    for done in snapshot.done:
        assert sum(ns for _, ns in done.phases) == done.took
    for one in (*snapshot.rows, *snapshot.done):
        opened = timeline(one.transfer, snapshot.clocks, snapshot.at, snapshot.handshakes)
        assert sum(share.took for share in opened.stretches) == opened.end - opened.start
        assert [due.first for due in opened.missing].count(True) <= 1
