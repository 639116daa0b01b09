import re
import tracemalloc
from mmap import mmap

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kvtrace_connector.ledger import FORGOTTEN_AFTER, MAY_CLOSE, MOST_SLOTS, Ledger

from kvtrace.black_box import COUNTERS_AT, Counter, pack_record, unpack_record
from kvtrace.events import (
    BlocksQueued,
    Event,
    LeaseGranted,
    MatchMade,
    MatchMissed,
    ReceiveReported,
    RegistrationNoticed,
    RegistrationQueued,
    SendReported,
    StepSampled,
    closes,
)
from kvtrace.wire import KINDS, pack
from tests.unit.boxes import SMALL, queued, sent

SECOND = 1_000_000_000
HALF = SMALL.ledger_slots // 2


class Book:
    """A ledger, and what it holds."""

    def __init__(self) -> None:
        self.memory = mmap(-1, SMALL.size)
        self.words = memoryview(self.memory).cast("Q")
        self.ledger = Ledger(self.memory, self.words, SMALL)

    def told(self, event: Event, *, origin: int = 0, at: int = 0, size: int = 0) -> None:
        record = pack_record((1, at, 0, 0, origin, 0), pack(event) + bytes(size))
        self.ledger.take(event, origin, record, at)

    def counted(self, which: int) -> int:
        return self.words[COUNTERS_AT // 8 + which]

    def held(self) -> list[str]:
        """The kinds of all that is held, slot by slot."""
        found = []
        for slot in range(SMALL.ledger_slots):
            start = SMALL.ledger_at + slot * SMALL.ledger_slot
            raw = self.memory[start + 8 : start + 8 + self.words[start // 8]]
            while raw:
                payload = unpack_record(raw).payload
                found += [name.decode() for name in re.findall(rb"[a-z]+\.[a-z_]+", payload)]
                raw = raw[36 + len(payload) :]
        return found


@pytest.fixture
def book() -> Book:
    return Book()


def variants(cls: type[Event]) -> list[Event]:
    """The event with each of its flags and numbers either way."""
    found = [cls()]
    for field in msgspec.structs.fields(cls):
        if isinstance(field.default, bool):
            found += [cls(**{field.name: not field.default})]
        elif isinstance(field.default, int):
            found += [cls(**{field.name: field.default + 1})]
    return found


def test_every_kind_that_may_close_a_half_is_asked() -> None:
    closing = {
        cls
        for cls in KINDS.values()
        if any(closes(event) for event in variants(cls))  # type: ignore[arg-type]
    }
    assert closing == MAY_CLOSE


def test_what_opens_no_half_is_not_held(book: Book) -> None:
    book.told(sent())
    book.told(StepSampled())
    book.told(MatchMade(request="p1", remote_request="d1"))
    book.told(MatchMissed(remote_request="d1"))
    assert book.held() == []


def test_a_half_is_held_until_it_closes(book: Book) -> None:
    book.told(queued())
    book.told(sent())
    assert book.held() == ["registration.queued", "registration.sent"]
    book.told(ReceiveReported(request="r1"))
    assert book.held() == []
    book.told(sent())
    assert book.held() == []


def test_halves_of_two_origins_are_two(book: Book) -> None:
    book.told(queued(), origin=0)
    book.told(queued(), origin=1)
    book.told(ReceiveReported(request="r1"), origin=1)
    assert book.held() == ["registration.queued"]


def test_a_half_takes_more_slots_as_it_grows_and_gives_them_all_back(book: Book) -> None:
    book.told(queued())
    for _ in range(5):
        book.told(sent(), size=900)
    assert len(book.held()) == 6
    book.told(ReceiveReported(request="r1"))
    assert book.held() == []
    for number in range(SMALL.ledger_slots):
        book.told(queued(f"r{number}"))
    assert book.counted(Counter.LEDGER_FULL) == 0


def test_one_half_cannot_fill_the_ledger(book: Book) -> None:
    book.told(queued(), size=900)
    for _ in range(MOST_SLOTS + 4):
        book.told(sent(), size=900)
    assert len(book.held()) == MOST_SLOTS
    assert book.counted(Counter.LEDGER_FULL) == 5


def test_a_full_ledger_is_counted_and_heals(book: Book) -> None:
    for number in range(SMALL.ledger_slots + 1):
        book.told(queued(f"r{number}"))
    assert book.counted(Counter.LEDGER_FULL) == 1
    book.told(ReceiveReported(request="r0"))
    book.told(queued("later"))
    assert len(book.held()) == SMALL.ledger_slots
    assert book.counted(Counter.LEDGER_FULL) == 1


def test_a_record_longer_than_a_slot_is_counted(book: Book) -> None:
    book.told(queued(), size=1000)
    assert book.held() == []
    assert book.counted(Counter.LEDGER_FULL) == 1


def test_halves_that_nothing_ever_closed_give_way_after_an_hour(book: Book) -> None:
    for number in range(SMALL.ledger_slots):
        book.told(queued(f"r{number}"), at=number)
    book.told(queued("soon"), at=FORGOTTEN_AFTER - SECOND)
    assert book.counted(Counter.LEDGER_FULL) == 1
    book.told(queued("late"), at=FORGOTTEN_AFTER + 1)
    book.told(queued("at once"), at=FORGOTTEN_AFTER + 2)
    assert book.counted(Counter.GIVEN_UP) == 1
    assert book.counted(Counter.LEDGER_FULL) == 2


def test_an_old_half_that_still_talks_gives_up_others_and_not_itself(book: Book) -> None:
    for number in range(SMALL.ledger_slots):
        book.told(queued(f"r{number}"), size=900)
    book.told(sent("r0"), at=FORGOTTEN_AFTER + SECOND, size=900)
    assert book.counted(Counter.GIVEN_UP) == 1
    for number in range(SMALL.ledger_slots):
        book.told(ReceiveReported(request=f"r{number}"), at=FORGOTTEN_AFTER + SECOND)
    assert book.held() == []


def noticed(request: str = "d1") -> Event:
    return RegistrationNoticed(remote_request=request, consumer="d")


def test_a_match_moves_the_registration_into_the_half(book: Book) -> None:
    book.told(noticed())
    book.told(MatchMissed(remote_request="d1"))
    book.told(BlocksQueued(request="p1"))
    book.told(MatchMade(request="p1", remote_request="d1"))
    book.told(LeaseGranted(request="p1"))
    assert sorted(book.held()) == [
        "blocks.queued",
        "lease.granted",
        "match.made",
        "match.missed",
        "registration.noticed",
    ]
    book.told(SendReported(request="p1"))
    assert book.held() == []


def test_a_match_makes_the_registration_a_half_where_there_was_none(book: Book) -> None:
    book.told(noticed())
    book.told(MatchMade(request="p1", remote_request="d1"))
    assert book.held() == ["registration.noticed", "match.made"]
    book.told(SendReported(request="p1"))
    assert book.held() == []


def test_several_ranks_registrations_of_one_request_are_one(book: Book) -> None:
    book.told(noticed())
    book.told(noticed())
    book.told(MatchMade(request="p1", remote_request="d1"))
    book.told(SendReported(request="p1"))
    assert book.held() == []


def test_registrations_that_never_match_leave_half_of_the_ledger_free(book: Book) -> None:
    for number in range(SMALL.ledger_slots * 2):
        book.told(noticed(f"d{number}"))
    assert len(book.held()) == HALF
    assert book.counted(Counter.GIVEN_UP) == SMALL.ledger_slots * 2 - HALF
    for number in range(HALF):
        book.told(RegistrationQueued(request=f"r{number}"))
    assert book.counted(Counter.LEDGER_FULL) == 0


def test_nothing_leaks_over_many_lives(book: Book) -> None:
    for number in range(1000):
        book.told(noticed(f"d{number}"), size=number % 800)
        book.told(BlocksQueued(request=f"p{number}"), size=number % 700)
        book.told(MatchMade(request=f"p{number}", remote_request=f"d{number}"))
        book.told(SendReported(request=f"p{number}"))
    assert book.held() == []
    assert book.counted(Counter.LEDGER_FULL) == 0


def test_halves_without_room_take_no_memory(book: Book) -> None:
    for number in range(SMALL.ledger_slots):
        book.told(queued(f"r{number}"))
    tracemalloc.start()
    for number in range(5000):
        book.told(queued(f"more {number}"))
        book.told(noticed(f"more {number}"))
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size < 20_000


P = st.sampled_from(["p1", "p2", "p3"])
D = st.sampled_from(["d1", "d2", "d3"])
ANYTHING: st.SearchStrategy[Event] = st.one_of(
    P.map(queued),
    P.map(sent),
    P.map(lambda name: BlocksQueued(request=name)),
    P.map(lambda name: SendReported(request=name)),
    P.map(lambda name: ReceiveReported(request=name)),
    D.map(lambda name: noticed(name)),
    D.map(lambda name: MatchMissed(remote_request=name)),
    st.builds(MatchMade, request=P, remote_request=D),
)
TOLD = st.tuples(
    ANYTHING,
    st.integers(0, 1),
    st.sampled_from([900, 900, 900, 0, 1100]),
    st.sampled_from([0, 0, 0, 0, 0, 0, SECOND, FORGOTTEN_AFTER * 2]),
)


@settings(max_examples=40, deadline=None)
@given(told=st.lists(TOLD, min_size=80, max_size=200))
def test_whatever_is_told_every_slot_is_free_again_when_all_have_closed(
    told: list[tuple[Event, int, int, int]],
) -> None:
    book, at = Book(), 0
    for event, origin, size, later in told:
        at += later
        book.told(event, origin=origin, at=at, size=size)
    for origin in (0, 1):
        for name in ("1", "2", "3"):
            book.told(MatchMade(request=f"p{name}", remote_request=f"d{name}"), origin=origin)
            book.told(SendReported(request=f"p{name}"), origin=origin)
            book.told(ReceiveReported(request=f"p{name}"), origin=origin)
    assert book.held() == []
    full = book.counted(Counter.LEDGER_FULL)
    for number in range(SMALL.ledger_slots):
        book.told(queued(f"new {number}"), at=at)
    assert book.counted(Counter.LEDGER_FULL) == full
