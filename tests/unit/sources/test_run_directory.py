import os
from collections.abc import Callable, Iterator
from itertools import count, islice
from pathlib import Path

import pytest

from kvtrace.errors import BlackBoxError
from kvtrace.moments import Ended, Lost, Moment, News, Watched
from kvtrace.sources.run_directory import HOUR, RunDirectory, read_once, watch
from tests.unit.boxes import overwrite, queued, records, sent, small_box

TENTH = 100_000_000


def news(moments: Iterator[Moment]) -> list[News]:
    return [it.news for it in moments if it.news is not None]


def watched(directory: Path, steps: list[Callable[[], object]]) -> list[Moment]:
    """What is seen when between the looks, a tenth of a second apart, these things happen."""
    left = iter(steps)
    at = count(0, TENTH)
    stopped: list[bool] = []

    def sleep(_: float) -> None:
        step = next(left, None)
        if step is None:
            stopped.append(True)
        else:
            step()

    moments = watch(directory, now=lambda: next(at), sleep=sleep, stop=lambda: bool(stopped))
    return list(moments)


def nothing() -> None:
    """Happens between two looks."""


def test_what_several_processes_say_comes_in_the_order_it_happened(tmp_path: Path) -> None:
    first, one = small_box(tmp_path)
    second, two = small_box(tmp_path)
    for number in range(4):
        first.record(sent(f"a{number}"), one)
        second.record(sent(f"b{number}"), two)
    told = records(news(read_once(tmp_path)))
    assert [it.event.request for it in told] == ["a0", "b0", "a1", "b1", "a2", "b2", "a3", "b3"]
    first.close("")
    second.close("")


def test_the_last_moment_of_one_look_is_silent(tmp_path: Path) -> None:
    assert [it.news for it in read_once(tmp_path)] == [None]


def test_a_silent_moment_comes_with_every_look_that_finds_nothing(tmp_path: Path) -> None:
    moments = watched(tmp_path, [nothing] * 4)
    assert [it.news for it in moments] == [None] * 5


def test_a_missing_directory_is_waited_for(tmp_path: Path) -> None:
    later = tmp_path / "later"

    def appear() -> None:
        box, origin = small_box(later)
        box.record(queued(), origin)
        box.close("")

    told = news(iter(watched(later, [nothing, appear, *[nothing] * 6])))
    assert len(records(told)) == 2
    boxes = RunDirectory(tmp_path / "never")
    boxes.scan()
    assert boxes.missing
    assert boxes.poll() == []


def test_a_new_box_is_found_and_its_end_is_told_once(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    steps = [lambda: box.record(queued(), origin), lambda: box.close("done"), *[nothing] * 20]
    told = news(iter(watched(tmp_path, steps)))
    assert [it.seq for it in records(told)] == [1, 2]
    assert told[0] == Watched(process=box.path.stem, state="running")
    assert told[-1] == Ended(process=box.path.stem, goodbye=True)
    assert len(told) == 4


def test_the_long_dead_are_passed_over(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(queued(), origin)
    box.close("")
    newest = records(news(read_once(tmp_path)))[-1].wall
    for age, seen in ((HOUR, True), (HOUR + 1, False)):
        boxes = RunDirectory(tmp_path, wall=lambda age=age: newest + age)
        boxes.scan()
        assert bool(boxes.poll()) == seen
        boxes.close()


def test_the_living_are_followed_however_long_they_are_silent(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    box.record(queued(), origin)
    boxes = RunDirectory(tmp_path, wall=lambda: 1 << 62)
    boxes.scan()
    assert len(records(boxes.poll())) == 1
    boxes.close()
    box.close("")


def test_what_is_no_box_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "text.kvbox").write_text("x")
    (tmp_path / "empty.kvbox").touch()
    (tmp_path / "directory.kvbox").mkdir()
    (tmp_path / "link.kvbox").symlink_to(tmp_path / "text.kvbox")
    os.mkfifo(tmp_path / "pipe.kvbox")
    boxes = RunDirectory(tmp_path)
    boxes.scan()
    assert boxes.poll() == []
    boxes.scan()
    assert boxes.poll() == [Lost(unreadable=1)] * 5
    assert sorted(boxes.complained) == sorted(boxes.refused)
    boxes.scan()
    assert boxes.poll() == []
    assert boxes.complained == ()
    assert len(boxes.refused) == 5
    assert "is not a black box" in boxes.refused["text.kvbox"]


def test_a_box_that_gets_its_header_later_is_no_loss(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    magic = box.path.read_bytes()[:8]
    overwrite(box.path, 0, bytes(8))
    boxes = RunDirectory(tmp_path)
    boxes.scan()
    overwrite(box.path, 0, magic)
    box.record(queued(), origin)
    boxes.scan()
    assert len(boxes.poll()) == 1
    assert not boxes.refused
    boxes.close()
    box.close("")


def test_a_box_removed_while_it_is_followed_is_followed_to_its_end(tmp_path: Path) -> None:
    box, origin = small_box(tmp_path)
    boxes = RunDirectory(tmp_path)
    boxes.scan()
    box.record(queued(), origin)
    box.path.unlink()
    boxes.scan()
    assert len(boxes.poll()) == 1
    box.close("")
    assert [type(it).__name__ for it in boxes.poll()] == ["Record", "Ended"]
    boxes.close()


def test_a_file_in_place_of_the_directory_is_an_error_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BlackBoxError, match="file: cannot be listed"):
        list(read_once(tmp_path / "file"))


def test_watching_lets_go_of_its_files(tmp_path: Path) -> None:
    box, _ = small_box(tmp_path)
    before = len(os.listdir("/proc/self/fd"))
    moments = watch(tmp_path, sleep=lambda _: None)
    list(islice(moments, 3))
    moments.close()  # type: ignore[attr-defined]
    assert len(os.listdir("/proc/self/fd")) == before
    box.close("")
