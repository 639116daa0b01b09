import os
import time
from pathlib import Path

import pytest
from kvtrace_connector import attic
from kvtrace_connector.attic import GENERATIONS, OLDEST, Dead
from kvtrace_connector.black_box import BlackBox

from kvtrace.black_box import COUNTERS_AT
from kvtrace.events import ProcessStarted
from kvtrace.model import Role
from tests.unit.boxes import SMALL, overwrite, sent, small_box

MIB = 1 << 20


def dead(wall: int, *halves: str, size: int = 8 * MIB) -> Dead:
    return Dead(name=f"{wall}", size=size, wall=wall, halves=halves)


def names(boxes: list[Dead]) -> set[str]:
    return {box.name for box in boxes}


def test_the_dead_are_kept_for_a_day() -> None:
    boxes = [dead(0, "a"), dead(1, "b")]
    assert names(attic.surplus(boxes, OLDEST)) == set()
    assert names(attic.surplus(boxes, OLDEST + 1)) == {"0"}


def test_four_generations_of_one_half_are_kept() -> None:
    boxes = [dead(wall, "a") for wall in range(7)] + [dead(10, "b")]
    assert names(attic.surplus(boxes, 20)) == {"0", "1", "2"}
    assert GENERATIONS == 4


def test_a_box_of_two_halves_is_kept_as_long_as_either_needs_it() -> None:
    boxes = [dead(0, "a", "b"), *[dead(wall, "a") for wall in range(1, 6)]]
    assert names(attic.surplus(boxes, 20)) == {"1"}


def test_a_quarter_of_a_gibibyte_is_kept() -> None:
    boxes = [dead(wall, f"{wall}") for wall in range(40)]
    assert names(attic.surplus(boxes, 50)) == {str(wall) for wall in range(8)}


def clean(directory: Path, wall: int) -> set[str]:
    """What is left."""
    opened = os.open(directory, os.O_RDONLY)
    attic.clean(opened, wall)
    os.close(opened)
    return {path.name for path in directory.iterdir()}


LATER = time.time_ns() + 2 * OLDEST


def test_the_old_dead_are_removed_and_the_living_never(tmp_path: Path) -> None:
    old, _ = small_box(tmp_path)
    old.close("")
    living, _ = small_box(tmp_path)
    assert clean(tmp_path, LATER) == {living.path.name}
    living.close("")


def test_the_young_dead_stay(tmp_path: Path) -> None:
    box, _ = small_box(tmp_path)
    box.close("")
    assert clean(tmp_path, time.time_ns()) == {box.path.name}


def test_age_counts_from_the_last_event(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(sent(), origin)
    box.close("")
    last = time.time_ns()
    assert clean(tmp_path, last + OLDEST - 60_000_000_000) == {box.path.name}
    assert clean(tmp_path, last + OLDEST) == set()


def test_generations_are_told_by_address_since_ids_are_new_at_each_start(tmp_path: Path) -> None:
    boxes = []
    for number in range(GENERATIONS + 2):
        box = BlackBox(tmp_path, SMALL)
        origin = box.origin(f"random id {number}", Role.CONSUMER, 0)
        started = ProcessStarted(engine=f"random id {number}", host="h", port=5600)
        box.describe(origin, started)
        box.close("")
        boxes.append(box.path.name)
    assert clean(tmp_path, time.time_ns()) == set(boxes[2:])


def test_opening_a_box_cleans_up(tmp_path: Path) -> None:
    for _ in range(GENERATIONS + 3):
        box, _ = small_box(tmp_path)
        box.close("")
    assert len(list(tmp_path.iterdir())) == GENERATIONS + 1


FOREIGN = "ab" * 16 + ".kvbox"


def test_what_is_not_ours_stays(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("keep")
    (tmp_path / FOREIGN).write_text("keep")
    (tmp_path / ("cd" * 16 + ".kvbox")).mkdir()
    os.mkfifo(tmp_path / ("ef" * 16 + ".kvbox"))
    assert len(clean(tmp_path, LATER)) == 4


def test_a_link_is_neither_followed_nor_removed(tmp_path: Path) -> None:
    directory = tmp_path / "boxes"
    box, _ = small_box(directory)
    box.close("")
    box.path.rename(tmp_path / "elsewhere")
    box.path.symlink_to(tmp_path / "elsewhere")
    assert clean(directory, LATER) == {box.path.name}
    assert (tmp_path / "elsewhere").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_another_users_box_stays(tmp_path: Path) -> None:
    box, _ = small_box(tmp_path)
    box.close("")
    os.chown(box.path, 65534, 65534)
    assert clean(tmp_path, LATER) == {box.path.name}


def test_a_box_that_was_never_begun_goes_when_it_is_old(tmp_path: Path) -> None:
    (tmp_path / FOREIGN).write_bytes(bytes(4096))
    assert clean(tmp_path, time.time_ns()) == {FOREIGN}
    assert clean(tmp_path, LATER) == set()


def test_a_damaged_box_goes_when_it_is_old(tmp_path: Path) -> None:
    box, _ = small_box(tmp_path)
    box.close("")
    overwrite(box.path, COUNTERS_AT - 200, b"????")
    assert clean(tmp_path, time.time_ns()) == {box.path.name}
    assert clean(tmp_path, LATER) == set()


def test_a_directory_that_cannot_be_listed_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    opened = os.open(tmp_path / "file", os.O_RDONLY)
    attic.clean(opened, LATER)
    os.close(opened)


def test_several_may_clean_up_at_once(tmp_path: Path) -> None:
    for _ in range(GENERATIONS):
        box, _ = small_box(tmp_path)
        box.close("")
    living, _ = small_box(tmp_path)
    children = []
    for _ in range(4):
        child = os.fork()
        if not child:
            clean(tmp_path, LATER)
            os._exit(0)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    assert clean(tmp_path, LATER) == {living.path.name}
    living.close("")
