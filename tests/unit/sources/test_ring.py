import os
from pathlib import Path

from kvtrace.black_box import Counter
from kvtrace.glance import open_box, read_counters
from kvtrace.sources.ring import Ring
from tests.unit.boxes import RING_SLOTS, SMALL, overwrite, sent, slot_at, small_box


def test_slots_overwritten_while_they_are_read_are_not_damaged(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    for _ in range(RING_SLOTS):
        box.record(sent(), origin)
    opened = open_box(box.path)
    written = read_counters(opened)[Counter.SLOTS]
    for _ in range(10):
        box.record(sent(), origin)
    overwrite(box.path, slot_at(12) + 60, b"?")
    ring = Ring(opened, SMALL)
    raws = ring.read(written, living=True)
    assert [raw.seq for raw in raws] == [11, *range(13, RING_SLOTS + 1)]
    assert ring.damaged == 0
    os.close(opened)
    box.close("")


def test_it_is_behind_once_the_next_slot_is_overwritten(tmp_path: Path) -> None:
    box, _ = small_box(tmp_path)
    opened = open_box(box.path)
    ring = Ring(opened, SMALL)
    assert not ring.behind(RING_SLOTS)
    assert ring.behind(RING_SLOTS + 1)
    os.close(opened)
    box.close("")
