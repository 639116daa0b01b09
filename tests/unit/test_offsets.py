"""How far apart the clocks of two hosts are."""

from hypothesis import given
from hypothesis import strategies as st

from kvtrace.clocks import Offset
from kvtrace.model import Role
from kvtrace.offsets import Bounds
from tests.unit.samples import (
    CONSUMER_FIRST,
    PRODUCER_FIRST,
    handshake_finished,
    match_made,
    notification_noticed,
    prefill_admitted,
    registration_noticed,
    registration_sent,
    request_admitted,
    write_posted,
)
from tests.unit.story import SECOND, Engine, Story

AHEAD = 1000.0
FAR = Engine(name="P0", role=Role.PRODUCER, clock="host-2", ahead=AHEAD)


def shake(**fields: int) -> object:
    return handshake_finished(request="", clock_offset=round(AHEAD * SECOND), **fields)


def test_a_handshake_tells_the_offset_and_half_its_round_trip_the_error() -> None:
    story = Story().at(0, prefill_admitted(), by=FAR).at(1, shake(round_trip=2_000))  # type: ignore[arg-type]
    assert story.snapshot.clocks.offsets == {"host-2": Offset(round(-AHEAD * SECOND), 1_000)}
    assert story.snapshot.losses.clock_error == 1_000


def test_without_a_round_trip_the_whole_handshake_bounds_the_error() -> None:
    story = Story().at(0, shake(took=2_000)).at(1, prefill_admitted(), by=FAR)  # type: ignore[arg-type]
    assert story.snapshot.clocks.offsets["host-2"].error == 1_000


def test_messages_tighten_what_the_handshake_told() -> None:
    story = Story().at(0, shake(took=2 * SECOND)).at(1, *CONSUMER_FIRST)  # type: ignore[arg-type]
    story.at(1.1, registration_noticed(), *PRODUCER_FIRST, match_made(), by=FAR)
    assert story.snapshot.clocks.offsets["host-2"].error == 550_000_000
    story.at(1.2, write_posted(), by=FAR).at(1.3, notification_noticed())
    offset = story.at(1.4, write_posted(peer_rank=9), by=FAR).snapshot.clocks.offsets["host-2"]
    assert offset.error == 100_000_000
    assert abs(offset.ns + AHEAD * SECOND) <= offset.error


def test_messages_alone_tell_the_offset_where_there_is_no_handshake() -> None:
    story = Story().at(1, request_admitted(), registration_sent())
    story.at(1.2, registration_noticed(), prefill_admitted(), write_posted(), by=FAR)
    assert story.snapshot.clocks.offsets["host-2"].error is None
    story.at(1.4, notification_noticed()).at(1.5, match_made(), by=FAR)
    assert story.snapshot.clocks.offsets["host-2"].error == 200_000_000


def test_an_unknown_clock_stands_where_its_freshest_event_was_seen() -> None:
    story = Story().at(7, prefill_admitted(), by=FAR).at(9)
    assert story.row.waited == 2 * SECOND
    assert story.snapshot.clocks.offsets["host-2"] == Offset(round(-AHEAD * SECOND), None)


def test_a_clock_is_reached_by_way_of_another() -> None:
    third = Engine(name="D1", role=Role.CONSUMER, clock="host-3", ahead=-5)
    story = Story().at(0, shake(round_trip=2_000))  # type: ignore[arg-type]
    story.at(1, prefill_admitted(), by=FAR).at(1, request_admitted(request="z"), by=third)
    off = round((-5 - AHEAD) * SECOND)
    story.at(2, handshake_finished(request="", peer="D1", clock_offset=off, round_trip=4), by=FAR)
    assert story.snapshot.clocks.offsets["host-3"] == Offset(5 * SECOND, 1_002)


numbers = st.none() | st.integers(-99, 99)


@given(numbers, numbers, numbers, numbers)
def test_more_evidence_never_widens_the_bounds(
    low: int | None, high: int | None, low2: int | None, high2: int | None
) -> None:
    if low is not None and high is not None and low > high:
        low, high = high, low
    if low2 is not None and high2 is not None and low2 > high2:
        low2, high2 = high2, low2
    newer = Bounds(low2, high2)
    both = Bounds(low, high).narrowed(newer)
    if both.offset is not None and newer.offset is not None:
        assert both.offset.error is not None
        assert newer.offset.error is not None
        assert both.offset.error <= newer.offset.error


def test_evidence_that_contradicts_is_taken_anew_since_clocks_drift() -> None:
    assert Bounds(1, 2).narrowed(Bounds(5, 6)) == Bounds(5, 6)
    assert Bounds(1, None).offset is None
