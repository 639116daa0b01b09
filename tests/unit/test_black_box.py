import struct
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvtrace import black_box
from kvtrace.black_box import (
    Facts,
    Header,
    Layout,
    Origin,
    pack_facts,
    pack_header,
    pack_record,
    run_directory,
    unpack_facts,
    unpack_header,
    unpack_record,
)
from kvtrace.errors import BlackBoxError, WireError
from kvtrace.model import Role

HEADER = Header(process="ab" * 16, clock="boot", pid=7, at=1, wall=2, layout=Layout())
SIZE = Layout().size


def test_a_box_is_eight_mebibytes_but_for_less_than_a_slot() -> None:
    assert 0 <= (8 << 20) - SIZE < Layout().ring_slot


def test_the_areas_follow_each_other_without_a_gap() -> None:
    layout = Layout()
    assert layout.facts_at + 2 * layout.facts_size == layout.ledger_at
    assert layout.ledger_at + layout.ledger_slots * layout.ledger_slot == layout.ring_at


def test_a_header_reads_as_it_was_written() -> None:
    assert unpack_header(pack_header(HEADER), SIZE) == HEADER


def test_the_header_ends_before_the_counters() -> None:
    assert len(pack_header(HEADER)) <= black_box.COUNTERS_AT


def test_a_newer_format_is_refused_with_advice() -> None:
    raw = bytearray(pack_header(HEADER))
    raw[8] = 2
    with pytest.raises(BlackBoxError, match=r"format 2.*update kvtrace"):
        unpack_header(bytes(raw), SIZE)


def test_a_newer_minor_format_is_read() -> None:
    raw = bytearray(pack_header(HEADER)[:-4])
    raw[10] = 9
    again = bytes(raw) + struct.pack("<I", black_box.crc32(raw))
    assert unpack_header(again, SIZE) == HEADER


@pytest.mark.parametrize("at", [12, 40, 100, 151])
def test_a_damaged_header_is_refused(at: int) -> None:
    raw = bytearray(pack_header(HEADER))
    raw[at] ^= 1
    with pytest.raises(BlackBoxError, match="damaged header"):
        unpack_header(bytes(raw), SIZE)


@pytest.mark.parametrize("raw", [b"", b"KVTRACE\n", b"hello", bytes(4096)])
def test_something_else_is_no_black_box(raw: bytes) -> None:
    with pytest.raises(BlackBoxError, match="is not a black box"):
        unpack_header(raw, SIZE)


@pytest.mark.parametrize(
    "lie",
    [
        {"ring_slots": 15962},
        {"ring_slots": 0},
        {"ring_slot": 0},
        {"ring_slot": 40},
        {"ledger_slot": 0},
        {"ledger_at": 4096},
        {"facts_at": 0},
        {"facts_size": 1 << 31},
    ],
)
def test_sizes_that_cannot_be_are_refused(lie: dict[str, int]) -> None:
    layout = msgspec.structs.replace(Layout(), **lie)
    raw = pack_header(msgspec.structs.replace(HEADER, layout=layout))
    with pytest.raises(BlackBoxError, match="cut off or damaged"):
        unpack_header(raw, SIZE)


def test_a_box_too_large_to_be_true_is_refused() -> None:
    layout = msgspec.structs.replace(Layout(), ring_slots=1 << 31)
    raw = pack_header(msgspec.structs.replace(HEADER, layout=layout))
    with pytest.raises(BlackBoxError, match="cut off or damaged"):
        unpack_header(raw, layout.size)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_header_or_refused(raw: bytes) -> None:
    with pytest.raises(BlackBoxError):
        unpack_header(raw, SIZE)
    with pytest.raises(BlackBoxError):
        unpack_header(black_box.MAGIC + b"\1\0" + raw, SIZE)


OLD = Facts(threads=("a",))
NEW = Facts(threads=("a", "b"), origins=(Origin("e", Role.PRODUCER, 1, b"x"),), stopped="done")


def test_the_newer_facts_count() -> None:
    assert unpack_facts((pack_facts(OLD, 1), pack_facts(NEW, 2))) == NEW
    assert unpack_facts((pack_facts(NEW, 4), pack_facts(OLD, 3))) == NEW


def test_facts_half_written_leave_the_older_ones() -> None:
    torn = pack_facts(NEW, 2)[:-1] + b"\0"
    assert unpack_facts((pack_facts(OLD, 1), torn)) == OLD


def test_without_facts_there_are_none() -> None:
    assert unpack_facts((bytes(64), bytes(64))) is None


@given(st.binary(), st.binary())
def test_any_bytes_are_facts_or_none(first: bytes, second: bytes) -> None:
    unpack_facts((first, second))
    body = struct.pack("<IQ", len(first), 1) + first
    unpack_facts((struct.pack("<I", black_box.crc32(body)) + body, second))


HEAD = (5, 10, 20, 1, 2, 0)


def test_a_record_reads_as_it_was_written() -> None:
    raw = unpack_record(pack_record(HEAD, b"payload") + b"what follows")
    assert raw == black_box.Raw(5, 10, 20, 1, 2, b"payload")


@given(st.integers(0, 42), st.integers(0, 7))
def test_a_flipped_bit_is_noticed(at: int, bit: int) -> None:
    raw = bytearray(pack_record(HEAD, b"payload"))
    raw[at] ^= 1 << bit
    with pytest.raises(WireError):
        unpack_record(bytes(raw))


@given(st.binary(max_size=100))
def test_any_bytes_are_a_record_or_damaged(raw: bytes) -> None:
    with pytest.raises(WireError):
        unpack_record(raw)


def test_the_run_directory_is_one_for_each_user() -> None:
    assert str(run_directory({}, 1000)) == "/dev/shm/kvtrace-1000"


def test_the_run_directory_can_be_named() -> None:
    assert str(run_directory({"KVTRACE_DIR": "/x"}, 1000)) == "/x"


def test_the_page_about_the_format_has_its_sizes() -> None:
    page = (Path(__file__).parents[2] / "docs" / "black-box.md").read_text()
    layout = Layout()
    areas = {
        layout.facts_at: f"2 × {layout.facts_size:,}",
        layout.ledger_at: f"{layout.ledger_slots:,} × {layout.ledger_slot:,}",
        layout.ring_at: f"{layout.ring_slots:,} × {layout.ring_slot}",
    }
    for at, size in areas.items():
        assert f"| {at:,} | {size} |" in page
    assert f"| {black_box.COUNTERS_AT + 8 * black_box.Counter.FACTS} | how often" in page
    assert f"| {black_box.RECORD_SIZE} | | the event" in page
    assert f"| {black_box.SLOT.size} | {layout.ring_room} | the part" in page
    assert f"| {black_box.USED.size} | {layout.ledger_room:,} | records" in page
    assert f"| {len(pack_header(HEADER)) - 4} | 4 | CRC-32" in page
