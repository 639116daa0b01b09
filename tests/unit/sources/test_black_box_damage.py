import os
import struct
from pathlib import Path

import pytest

from kvtrace.black_box import Counter
from kvtrace.errors import BlackBoxError
from kvtrace.moments import Lost
from kvtrace.sources.black_box import BlackBoxReader
from tests.unit.boxes import (
    RING_SLOTS,
    SMALL,
    counter_at,
    lost,
    overwrite,
    queued,
    read,
    sent,
    seqs,
    slot_at,
    small_box,
)


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
    overwrite(box.path, slot_at(1), bytes(320))
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
    overwrite(box.path, slot_at(1), bytes(320))
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
    overwrite(box.path, slot_at(1), bytes(320))
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
