"""The file that a recorder writes."""

import gzip
import os
import stat
import zlib
from pathlib import Path

import pytest

from kvtrace.errors import RecordingError
from kvtrace.recording import Header
from kvtrace.sinks.recording import RecordingWriter
from tests.unit.boxes import small_box
from tests.unit.moments import START, moment, record

HEADER = Header(kvtrace=1, version="0.1.0", started_at=1, monotonic=START, clock="boot")


def test_the_header_is_in_the_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.kvtrace"
    writer = RecordingWriter(path, HEADER)
    assert path.read_bytes().startswith(b'{"kvtrace":1,')
    writer.close()


def test_a_line_is_in_the_file_a_second_later_at_the_latest(tmp_path: Path) -> None:
    path = tmp_path / "a.kvtrace"
    writer = RecordingWriter(path, HEADER)
    writer.write(moment(0.1, record()))
    assert b"blocks.ready" not in path.read_bytes()
    writer.write(moment(1))
    assert b"blocks.ready" in path.read_bytes()
    writer.close()


def test_a_compressed_file_can_be_unpacked_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.kvtrace.gz"
    writer = RecordingWriter(path, HEADER)
    writer.write(moment(0.1, record()))
    writer.write(moment(1))
    assert b"blocks.ready" in zlib.decompressobj(31).decompress(path.read_bytes())
    writer.close()
    assert b"blocks.ready" in gzip.decompress(path.read_bytes())


def test_it_counts_events_and_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.kvtrace"
    with RecordingWriter(path, HEADER) as writer:
        writer.write(moment(0, record()))
        writer.write(moment(1))
    assert (writer.events, writer.size) == (1, path.stat().st_size)


def test_an_existing_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.kvtrace"
    path.write_text("dear")
    with pytest.raises(RecordingError, match="exists: choose another name, or say --force"):
        RecordingWriter(path, HEADER)
    assert path.read_text() == "dear"


def test_an_existing_file_is_overwritten_by_force(tmp_path: Path) -> None:
    path = tmp_path / "a.kvtrace"
    path.write_text("not so dear" * 100)
    RecordingWriter(path, HEADER, force=True).close()
    assert path.read_bytes().count(b"\n") == 1


def test_only_the_user_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "a.kvtrace"
    RecordingWriter(path, HEADER).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_place_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"gone/a\.kvtrace cannot be made"):
        RecordingWriter(tmp_path / "gone" / "a.kvtrace", HEADER)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a disk that is always full")
def test_a_full_disk_is_said_once_and_the_rest_is_quiet(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="No space left on device"):
        RecordingWriter(Path("/dev/full"), HEADER, force=True)


def test_a_file_that_another_recorder_writes_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.kvtrace"
    with RecordingWriter(path, HEADER) as first:
        with pytest.raises(RecordingError, match="is being written by another process"):
            RecordingWriter(path, HEADER, force=True)
        first.write(moment(0, record()))
    assert path.read_bytes().count(b"\n") == 3


def test_the_black_box_of_a_living_engine_is_never_overwritten(tmp_path: Path) -> None:
    box, _ = small_box(tmp_path)
    before = box.path.stat().st_size
    with pytest.raises(RecordingError, match="is being written by another process"):
        RecordingWriter(box.path, HEADER, force=True)
    assert box.path.stat().st_size == before
    box.close("the test is over")
