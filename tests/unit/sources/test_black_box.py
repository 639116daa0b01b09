import os
import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from kvtrace.black_box import MAGIC, Counter
from kvtrace.errors import BlackBoxError
from kvtrace.events import (
    FailureLogged,
    HandshakeStarted,
    ProcessStarted,
    ProcessStopped,
    ReceiveReported,
    StepSampled,
)
from kvtrace.model import Role
from kvtrace.moments import Ended, Lost, News
from kvtrace.sources.black_box import BlackBoxReader
from tests.unit.boxes import (
    RING_SLOTS,
    SMALL,
    counter_at,
    lost,
    overwrite,
    queued,
    records,
    sent,
    seqs,
    slot_at,
    small_box,
)


def read(path: Path) -> list[News]:
    """All that a reader who comes now is told, and that it then has nothing to add."""
    reader = BlackBoxReader(path)
    news = reader.poll()
    news += reader.poll()
    assert not records(reader.poll())
    reader.close()
    return news


def test_what_is_written_is_read_with_who_said_it(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(queued(), origin)
    reader = BlackBoxReader(box.path)
    (record,) = records(reader.poll())
    assert (record.seq, record.event) == (1, queued())
    assert (record.engine, record.role, record.rank) == ("d", Role.CONSUMER, 0)
    assert record.thread == "MainThread"
    assert record.process == box.path.stem
    assert record.clock == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    reader.close()
    box.close("")


def test_a_poll_tells_what_is_new_only(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    reader = BlackBoxReader(box.path)
    assert reader.poll() == []
    box.record(queued(), origin)
    assert seqs(reader.poll()) == [1]
    assert reader.poll() == []
    box.record(sent(), origin)
    box.record(sent(), origin)
    assert seqs(reader.poll()) == [2, 3]
    box.close("")
    reader.close()


def test_an_origin_that_comes_later_is_known(tmp_path: Path) -> None:
    box, _ = small_box(tmp_path)
    reader = BlackBoxReader(box.path)
    reader.poll()
    box.record(StepSampled(), box.origin("p", Role.PRODUCER, 3))
    (record,) = records(reader.poll())
    assert (record.engine, record.role, record.rank) == ("p", Role.PRODUCER, 3)
    box.close("")
    reader.close()


def test_an_event_of_no_origin_belongs_to_nobody(tmp_path: Path) -> None:
    box, _ = small_box(tmp_path)
    box.record(StepSampled(), 77)
    (record,) = records(read(box.path))
    assert (record.engine, record.role, record.rank) == ("", None, -1)
    box.close("")


def test_a_handshake_is_on_the_side_it_says(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(HandshakeStarted(side="P"), origin)
    box.record(HandshakeStarted(), origin)
    assert [it.role for it in records(read(box.path))] == [Role.PRODUCER, Role.CONSUMER]
    box.close("")


def test_a_long_record_is_read_across_slots_and_the_end_of_the_ring(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    reader = BlackBoxReader(box.path)
    text = "".join(map(chr, range(32, 1200)))
    for _ in range(20):
        box.record(FailureLogged(message=text), origin)
        (record,) = records(reader.poll())
        assert record.event == FailureLogged(message=text)
    box.close("")
    reader.close()


def test_the_end_is_told_once_with_its_goodbye(tmp_path: Path) -> None:
    box, _ = small_box(tmp_path)
    reader = BlackBoxReader(box.path)
    box.close("shut down")
    stopped, ended = reader.poll()
    assert records([stopped])[0].event == ProcessStopped(reason="shut down")
    assert ended == Ended(process=box.path.stem, goodbye=True)
    assert reader.ended
    assert reader.poll() == []
    reader.close()


def test_what_was_overwritten_since_the_last_poll_is_counted(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    reader = BlackBoxReader(box.path)
    box.record(sent(), origin)
    reader.poll()
    for _ in range(100):
        box.record(sent(), origin)
    news = reader.poll()
    assert seqs(news) == list(range(102 - RING_SLOTS, 102))
    assert lost(news) == Lost(process=box.path.stem, overwritten=36)
    box.close("")
    reader.close()


def test_what_was_overwritten_before_the_first_look_is_no_loss(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    for _ in range(100):
        box.record(sent(), origin)
    reader = BlackBoxReader(box.path)
    assert lost(reader.poll()) is None
    assert reader.before == 36
    box.close("")
    reader.close()


def test_an_open_half_is_told_however_long_ago_it_began(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(queued(), origin)
    box.record(sent(), origin)
    for number in range(300):
        box.record(sent(f"other {number}"), origin)
    reader = BlackBoxReader(box.path)
    news = reader.poll()
    assert seqs(news) == [1, 2, *range(303 - RING_SLOTS, 303)]
    assert reader.before == 300 - RING_SLOTS
    box.close("")
    reader.close()


def test_an_open_half_is_told_to_a_reader_that_fell_behind(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    reader = BlackBoxReader(box.path)
    reader.poll()
    box.record(queued(), origin)
    for _ in range(100):
        box.record(sent("other"), origin)
    news = reader.poll()
    assert seqs(news)[0] == 1
    assert lost(news) == Lost(process=box.path.stem, overwritten=36)
    box.close("")
    reader.close()


def test_nothing_is_told_twice_when_ledger_and_ring_both_hold_it(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(queued(), origin)
    box.record(sent(), origin)
    assert seqs(read(box.path)) == [1, 2]
    box.close("")


def test_a_half_that_closed_is_told_by_the_ring_alone(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(queued(), origin)
    box.record(ReceiveReported(request="r1"), origin)
    for _ in range(RING_SLOTS):
        box.record(sent("other"), origin)
    assert seqs(read(box.path)) == list(range(3, 3 + RING_SLOTS))
    box.close("")


def test_what_is_true_of_the_process_outlives_the_ring(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    started = ProcessStarted(engine="d", rank=0, model="m", facts={"a": "b"})
    box.describe(origin, started)
    for _ in range(300):
        box.record(sent("other"), origin)
    first = records(read(box.path))[0]
    assert (first.seq, first.event) == (1, started)
    box.close("")


def test_a_full_ledger_is_told(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    for number in range(SMALL.ledger_slots + 3):
        box.record(queued(f"r{number}"), origin)
    reader = BlackBoxReader(box.path)
    assert lost(reader.poll()) == Lost(process=box.path.stem, ledger_full=3)
    box.record(queued("one more"), origin)
    assert lost(reader.poll()) == Lost(process=box.path.stem, ledger_full=1)
    box.close("")
    reader.close()


def test_a_damaged_slot_is_counted_and_the_rest_is_read(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    for _ in range(20):
        box.record(sent(), origin)
    overwrite(box.path, slot_at(5) + 60, b"?")
    news = read(box.path)
    assert seqs(news) == [1, 2, 3, 4, *range(6, 21)]
    assert lost(news) == Lost(process=box.path.stem, unreadable=1)
    box.close("")


def test_a_slot_still_on_its_way_gets_a_second_chance(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    reader = BlackBoxReader(box.path)
    box.record(sent(), origin)
    box.record(sent(), origin)
    whole = box.path.read_bytes()[slot_at(1) : slot_at(2)]
    overwrite(box.path, slot_at(1), bytes(256))
    assert reader.poll() == []
    overwrite(box.path, slot_at(1), whole)
    assert seqs(reader.poll()) == [1, 2]
    box.close("")
    reader.close()


def test_a_slot_that_stays_damaged_is_given_up_at_the_second_look(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    reader = BlackBoxReader(box.path)
    box.record(sent(), origin)
    box.record(sent(), origin)
    overwrite(box.path, slot_at(1), bytes(256))
    assert reader.poll() == []
    news = reader.poll()
    assert seqs(news) == [2]
    assert lost(news) == Lost(process=box.path.stem, unreadable=1)
    box.close("")
    reader.close()


def test_the_dead_get_no_second_chance(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(sent(), origin)
    box.close("")
    overwrite(box.path, slot_at(1), bytes(256))
    reader = BlackBoxReader(box.path)
    news = reader.poll()
    assert seqs(news) == [2]
    assert lost(news) == Lost(process=box.path.stem, unreadable=1)
    assert reader.ended
    reader.close()


def test_a_damaged_ring_slot_is_made_good_by_the_ledger(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(queued(), origin)
    box.close("")
    overwrite(box.path, slot_at(1) + 60, b"?")
    assert seqs(read(box.path)) == [1, 2]


def test_a_damaged_ledger_slot_is_counted(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(queued(), origin)
    for _ in range(RING_SLOTS):
        box.record(sent("other"), origin)
    overwrite(box.path, SMALL.ledger_at + 30, b"\xff\xff")
    news = read(box.path)
    assert seqs(news) == list(range(2, 2 + RING_SLOTS))
    assert lost(news) == Lost(process=box.path.stem, unreadable=1)
    box.close("")


@pytest.mark.parametrize("size", [0, 7, 100, 4095])
def test_a_file_cut_off_in_its_header_is_refused_by_name(tmp_path: Path, size: int) -> None:
    box, _ = small_box(tmp_path)
    box.close("")
    os.truncate(box.path, size)
    with pytest.raises(BlackBoxError, match=str(box.path)):
        BlackBoxReader(box.path)


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(BlackBoxError, match=r"none\.kvbox: cannot be opened"):
        BlackBoxReader(tmp_path / "none.kvbox")


def test_a_file_cut_off_while_it_is_read_ends_no_reader(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    reader = BlackBoxReader(box.path)
    for _ in range(5):
        box.record(sent(), origin)
    box.close("")
    os.truncate(box.path, slot_at(3))
    news = reader.poll()
    assert seqs(news) == [1, 2]
    assert lost(news) == Lost(process=box.path.stem, unreadable=4)
    reader.close()


def test_counters_that_lie_are_seen_through(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(sent(), origin)
    box.close("")
    overwrite(box.path, counter_at(Counter.SLOTS), struct.pack("<Q", (1 << 64) - 1))
    news = read(box.path)
    assert lost(news) is not None


def filled(directory: Path) -> bytes:
    box, origin = small_box(directory)
    box.describe(origin, ProcessStarted(engine="d", model="m"))
    for number in range(40):
        box.record(queued(f"r{number % 9}"), origin)
        box.record(FailureLogged(message="x" * 30 * number), origin)
    box.close("done")
    raw = box.path.read_bytes()
    box.path.unlink()
    return raw


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    directory = tmp_path_factory.mktemp("boxes")
    return directory / "any.kvbox", filled(directory)


FUZZ = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
AREAS = (0, 256, 304, SMALL.facts_at, SMALL.ledger_at, SMALL.ring_at, SMALL.size)


def survives(path: Path, raw: bytes) -> None:
    """Read the file to its end: nothing but a BlackBoxError may come of it, and no end of news."""
    path.write_bytes(raw)
    try:
        reader = BlackBoxReader(path)
    except BlackBoxError:
        return
    news = [it for _ in range(3) for it in reader.poll()]
    reader.close()
    assert reader.ended
    assert len(news) < 4 * (RING_SLOTS + SMALL.ledger_slots)


@FUZZ
@given(data=st.data())
def test_flipped_bits_are_losses_at_most(good: tuple[Path, bytes], data: DataObject) -> None:
    path, whole = good
    raw = bytearray(whole)
    area = data.draw(st.integers(0, len(AREAS) - 2))
    places = st.integers(AREAS[area], AREAS[area + 1] - 1)
    for at in data.draw(st.lists(places, min_size=1, max_size=40)):
        raw[at] ^= 1 << data.draw(st.integers(0, 7))
    survives(path, bytes(raw))


@FUZZ
@given(data=st.data())
def test_overwritten_stretches_are_losses_at_most(
    good: tuple[Path, bytes], data: DataObject
) -> None:
    path, whole = good
    at = data.draw(st.integers(152, SMALL.size))
    size = data.draw(st.integers(0, 20_000))
    seed = data.draw(st.binary(min_size=1, max_size=64))
    garbage = (seed * (size // len(seed) + 1))[:size]
    survives(path, (whole[:at] + garbage + whole[at + size :])[: SMALL.size])


@FUZZ
@given(size=st.integers(0, SMALL.size))
def test_a_cut_off_box_is_a_loss_at_most(good: tuple[Path, bytes], size: int) -> None:
    path, whole = good
    survives(path, whole[:size])


@FUZZ
@given(raw=st.binary(max_size=5000))
def test_any_bytes_are_a_loss_at_most(good: tuple[Path, bytes], raw: bytes) -> None:
    path, _ = good
    survives(path, raw)
    survives(path, MAGIC + raw)
