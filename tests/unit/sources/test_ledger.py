import os
import struct
from pathlib import Path

from kvtrace.glance import open_box
from kvtrace.sources.ledger import read_ledger
from kvtrace.wire import unpack
from tests.unit.boxes import SMALL, overwrite, queued, sent, small_box


def test_the_records_of_open_halves_are_read(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    told = [queued("r1"), queued("r2"), sent("r1"), sent("r2")]
    for event in told:
        box.record(event, origin)
    opened = open_box(box.path)
    raws, damaged = read_ledger(opened, SMALL)
    assert [unpack(raw.payload) for raw in raws] == [told[0], told[2], told[1], told[3]]
    assert damaged == 0
    os.close(opened)
    box.close("")


def test_a_slot_that_claims_more_than_it_holds_is_damaged(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(queued(), origin)
    opened = open_box(box.path)
    for used in (1017, 200, 1 << 63):
        overwrite(box.path, SMALL.ledger_at, struct.pack("<Q", used))
        assert read_ledger(opened, SMALL)[1] == 1
    os.close(opened)
    box.close("")


def test_a_file_cut_off_before_the_ledger_has_none(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(queued(), origin)
    box.close("")
    os.truncate(box.path, SMALL.ledger_at)
    opened = open_box(box.path)
    assert read_ledger(opened, SMALL) == ([], 0)
    os.close(opened)
