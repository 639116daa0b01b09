"""How far signals were sent, across restarts."""

import os
import resource
from pathlib import Path

import pytest

from kvtrace.agent.cursor import NAME, Cursor, Sent


def written(directory: Path) -> Cursor:
    cursor = Cursor(directory)
    cursor.advance("a", logs=7)
    cursor.hand([("01", "a", 5)], stalls=90)
    cursor.write()
    return cursor


def test_what_was_sent_is_known_to_the_next_agent(tmp_path: Path) -> None:
    written(tmp_path)
    later = Cursor(tmp_path)
    assert later.before("a") == Sent(logs=7)
    assert later.before("b") == Sent()
    assert later.was_handed("01", "a", 5)
    assert not later.was_handed("02", "a", 4)
    assert (later.stalls_before, later.doubtful) == (90, 1)


def test_nothing_is_ever_taken_back(tmp_path: Path) -> None:
    cursor = written(tmp_path)
    cursor.advance("a", logs=2, ended=True)
    cursor.hand([], stalls=1)
    cursor.write()
    later = Cursor(tmp_path)
    assert later.before("a") == Sent(logs=7, ended=True)
    assert later.was_handed("01", "a", 5)
    assert later.stalls_before == 90


def test_what_this_agent_sends_does_not_change_what_the_one_before_sent(tmp_path: Path) -> None:
    written(tmp_path)
    later = Cursor(tmp_path)
    later.advance("a", logs=99)
    later.hand([("02", "a", 6)])
    assert later.before("a").logs == 7
    assert not later.was_handed("02", "a", 6)


def test_instants_of_before_the_host_was_started_anew_mean_nothing(tmp_path: Path) -> None:
    written(tmp_path)
    assert Cursor(tmp_path, "another boot").stalls_before == 0


def test_a_batch_that_was_answered_is_in_doubt_no_longer(tmp_path: Path) -> None:
    cursor = written(tmp_path)
    cursor.answered()
    cursor.write()
    assert Cursor(tmp_path).doubtful == 0
    assert Cursor(tmp_path).was_handed("01", "a", 5)


def test_processes_whose_black_boxes_are_gone_are_forgotten(tmp_path: Path) -> None:
    cursor = written(tmp_path)
    cursor.advance("b", logs=1)
    cursor.keep(frozenset("b"))
    cursor.write()
    assert Cursor(tmp_path).before("a") == Sent()
    assert Cursor(tmp_path).before("b") == Sent(logs=1)


def test_it_is_private_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    written(tmp_path)
    assert os.listdir(tmp_path) == [NAME]
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o600


def test_a_damaged_one_is_said_and_begun_anew(tmp_path: Path) -> None:
    for damage in (b"{", b"", b'{"version":1,"processes":{"a":3}}', b"\xff"):
        (tmp_path / NAME).write_bytes(damage)
        told: list[str] = []
        assert Cursor(tmp_path, tell=told.append).before("a") == Sent()
        assert "may be sent again" in told[0]


def test_one_of_another_version_is_begun_anew(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b'{"version":2,"processes":{"a":{"logs":3}}}')
    assert Cursor(tmp_path).before("a") == Sent()


def test_where_it_cannot_be_written_that_is_said_once(tmp_path: Path) -> None:
    told: list[str] = []
    cursor = Cursor(tmp_path / "missing", tell=told.append)
    for seq in range(3):
        cursor.advance("a", logs=seq)
        cursor.write()
    assert len(told) == 1
    assert "cannot be written" in told[0]
    (tmp_path / "missing").mkdir()
    cursor.write()
    assert Cursor(tmp_path / "missing").before("a").logs == 2


def test_on_a_full_disk_the_one_before_stays_whole_and_half_of_the_next_takes_no_room(
    tmp_path: Path,
) -> None:
    said: list[str] = []
    cursor = Cursor(tmp_path, tell=said.append)
    cursor.advance("a", logs=5)
    cursor.write()
    for number in range(100):
        cursor.advance(f"{number:032x}", logs=1)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, before[1]))
    try:
        cursor.write()
        cursor.write()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [one.name for one in tmp_path.iterdir()] == ["agent.cursor"]
    assert (Cursor(tmp_path).before("a").logs, len(said)) == (5, 1)
    cursor.write()
    assert Cursor(tmp_path).before(f"{7:032x}").logs == 1


def test_what_was_refused_is_owed_until_it_was_told(tmp_path: Path) -> None:
    cursor = Cursor(tmp_path)
    cursor.owe(3)
    assert (cursor.take_owed(), cursor.take_owed()) == (3, 0)
    cursor.owe(1)
    cursor.settle(3, told=False)
    assert cursor.take_owed() == 4
    cursor.write()
    assert Cursor(tmp_path).take_owed() == 4
    cursor.settle(4, told=True)
    cursor.write()
    assert Cursor(tmp_path).take_owed() == 0


@pytest.mark.parametrize(
    "left", [b"", b"nonsense", b'{"clock":"\xff"}', b'{"x":' * 100_000, b"null"]
)
def test_what_cannot_be_read_is_told_and_begun_anew(tmp_path: Path, left: bytes) -> None:
    (tmp_path / NAME).write_bytes(left)
    told: list[str] = []
    cursor = Cursor(tmp_path, tell=told.append)
    assert [NAME in one and "cannot be read" in one for one in told] == [True]
    assert cursor.before("a") == Sent()
