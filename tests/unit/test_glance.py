import os
from pathlib import Path

import pytest

from kvtrace import glance
from kvtrace.black_box import Counter
from kvtrace.errors import BlackBoxError
from kvtrace.events import FailureLogged
from tests.unit.boxes import overwrite, sent, slot_at, small_box


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    box, _ = small_box(tmp_path)
    link = tmp_path / "link.kvbox"
    link.symlink_to(box.path)
    with pytest.raises(OSError, match="symbolic links"):
        glance.open_box(link)
    box.close("")


def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.kvbox")
    with pytest.raises(BlackBoxError, match="not a plain file"):
        glance.open_box(tmp_path / "pipe.kvbox")


def test_a_box_is_held_until_it_is_closed(tmp_path: Path) -> None:
    box, _ = small_box(tmp_path)
    opened = glance.open_box(box.path)
    assert glance.held(opened)
    box.close("")
    assert not glance.held(opened)
    os.close(opened)


def test_two_may_ask_at_once(tmp_path: Path) -> None:
    box, _ = small_box(tmp_path)
    box.close("")
    first, second = glance.open_box(box.path), glance.open_box(box.path)
    assert not glance.held(first)
    assert not glance.held(second)
    os.close(first)
    os.close(second)


def test_a_box_is_as_new_as_its_last_event(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    opened = glance.open_box(box.path)
    header = glance.read_header(opened)
    assert glance.glance(opened).wall == header.wall
    box.record(sent(), origin)
    short = glance.glance(opened).wall
    box.record(FailureLogged(message="x" * 2000), origin)
    assert header.wall < short < glance.glance(opened).wall
    overwrite(box.path, slot_at(glance.read_counters(opened)[Counter.SLOTS]), bytes(320))
    assert glance.glance(opened).wall == header.wall
    os.close(opened)
    box.close("")


def test_counters_beyond_the_end_are_zero(tmp_path: Path) -> None:
    path = tmp_path / "short"
    path.write_bytes(b"KVTRACE\n")
    opened = glance.open_box(path)
    assert set(glance.read_counters(opened)) == {0}
    os.close(opened)
