"""Open halves in bounded room."""

from kvtrace.model import Role
from kvtrace.moments import Record
from kvtrace.signals.halves import RECORDS, Halves
from kvtrace.signals.open_half import OpenHalf
from tests.unit import samples
from tests.unit.story import SECOND, Story


def record_of(story: Story) -> Record:
    record = story.moments[-1].news
    assert isinstance(record, Record)
    return record


QUEUED = record_of(Story().at(1, samples.registration_queued()))
FINISHED = record_of(Story().at(1, samples.request_finished()))


def take(halves: Halves, name: str, record: Record = QUEUED) -> OpenHalf | None:
    return halves.take(("D0", Role.CONSUMER, name), record, SECOND)


def test_a_half_grows_until_it_is_told() -> None:
    halves = Halves(limit=3)
    half = take(halves, "r1")
    assert half is not None
    assert take(halves, "r1", FINISHED) is half
    assert (len(halves), len(half.records)) == (1, 2)
    halves.close(half)
    assert half.whose not in halves
    assert halves.get(half.whose) is None
    assert halves.context(half.whose) == half.context


def test_what_comes_late_is_counted_but_for_the_request_s_end() -> None:
    halves = Halves(limit=3)
    half = take(halves, "r1")
    assert half is not None
    halves.close(half)
    assert take(halves, "r1") is None
    assert take(halves, "r1", FINISHED) is None
    assert (len(halves), halves.late) == (0, 1)


def test_what_was_dropped_begins_anew() -> None:
    halves = Halves(limit=3)
    half = take(halves, "r1")
    assert half is not None
    halves.drop(half)
    assert halves.context(half.whose) == (b"", b"")
    assert take(halves, "r1") is not None


def test_there_is_room_for_so_many_halves() -> None:
    halves = Halves(limit=3)
    for number in range(5):
        take(halves, f"r{number}")
    assert (len(halves), halves.forgotten) == (3, 2)
    assert ("D0", Role.CONSUMER, "r0") not in halves


def test_and_for_so_many_records_in_all_of_them() -> None:
    halves = Halves(limit=3)
    for name in ("r1", "r2"):
        story = Story()
        for number in range(2 * RECORDS):
            take(halves, name, record_of(story.at(1, samples.registration_sent(ordinal=number))))
    assert (len(halves), halves.forgotten) == (1, 1)


def test_halves_are_found_by_what_is_due_and_by_who_spoke_for_them() -> None:
    halves = Halves(limit=3)
    half = take(halves, "r1")
    assert half is not None
    half.due = 7
    assert (halves.due(6), halves.due(7)) == ([], [half])
    assert (halves.spoken_for_by("D0/0"), halves.spoken_for_by("D0/1")) == ([half], [])
