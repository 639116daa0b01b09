"""A recording beside a screen."""

import resource
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from kvtrace.cli.tape import Tape
from kvtrace.errors import RecordingError
from kvtrace.recording import Header
from kvtrace.sources.recording import open_recording
from tests.unit.moments import START, moment, record

HEADER = Header(kvtrace=1, monotonic=START, clock="boot")
STREAM = [moment(1, record()), moment(2, record(seq=2))]


def test_the_moments_pass_and_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.kvtrace"
    tape = Tape(path, HEADER)
    assert list(tape.beside(STREAM, print)) == STREAM
    tape.close()
    with closing(open_recording(path)) as recording:
        assert list(recording) == STREAM


@contextmanager
def no_more_than(size: int) -> Iterator[None]:
    """Lets no file grow beyond this, as a full disk would."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_that_fills_ends_the_recording_and_not_the_watch(tmp_path: Path) -> None:
    path = tmp_path / "a.kvtrace"
    tape = Tape(path, HEADER)
    told: list[str] = []
    with no_more_than(path.stat().st_size + 300):
        assert list(tape.beside(STREAM, told.append)) == STREAM
    assert len(told) == 1
    assert f"{path} cannot be written any further (File too large)" in told[0]
    with pytest.raises(RecordingError, match="what it holds so far stays readable"):
        tape.close()
    with closing(open_recording(path)) as recording:
        assert next(iter(recording)) == STREAM[0]
