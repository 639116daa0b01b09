"""What comes out of a recording, whole or not."""

import gzip
import io
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvtrace.errors import RecordingError
from kvtrace.moments import Lost, Moment
from kvtrace.recording import Header, header_line
from kvtrace.sinks.recording import RecordingWriter
from kvtrace.sources.recording import LONGEST, Recording, length, open_recording
from tests.unit.moments import SECOND, START, moment, record

HEADER = Header(kvtrace=1, version="0.1.0", started_at=1, monotonic=START, clock="boot")
KEPT = Path(__file__).parents[2] / "recordings"
STREAM = [moment(1, record()), moment(2, record(seq=2)), moment(4)]


def written(path: Path, stream: list[Moment] = STREAM) -> Path:
    with RecordingWriter(path, HEADER) as writer:
        for one in stream:
            writer.write(one)
    return path


def of(whole: bytes) -> Recording:
    return Recording(io.BufferedReader(io.BytesIO(whole)), "a.kvtrace")


@pytest.mark.parametrize("name", ["a.kvtrace", "a.kvtrace.gz"])
def test_what_was_written_comes_back(tmp_path: Path, name: str) -> None:
    with closing(open_recording(written(tmp_path / name))) as recording:
        assert list(recording) == STREAM
        assert (recording.header, recording.damage) == (HEADER, "")


def test_a_compressed_recording_is_known_by_its_bytes(tmp_path: Path) -> None:
    path = written(tmp_path / "a.gz").rename(tmp_path / "renamed")
    with closing(open_recording(path)) as recording:
        assert list(recording) == STREAM


def test_a_torn_last_line_is_not_an_error(tmp_path: Path) -> None:
    whole = written(tmp_path / "a").read_bytes()
    recording = of(whole[:-5])
    assert list(recording) == [*STREAM[:2], moment(2, Lost(unreadable=1))]
    assert recording.damage == "breaks off in the middle of a line"


def test_a_last_line_that_is_whole_but_for_its_end_is_read(tmp_path: Path) -> None:
    recording = of(written(tmp_path / "a").read_bytes()[:-1])
    assert list(recording) == STREAM
    assert not recording.damage


def test_a_cut_compressed_recording_plays_up_to_the_cut(tmp_path: Path) -> None:
    path = written(tmp_path / "a.gz")
    path.write_bytes(path.read_bytes()[:-12])
    with closing(open_recording(path)) as recording:
        assert list(recording) == [*STREAM, moment(4, Lost(unreadable=1))]
    assert recording.damage == "ends in the middle of its compressed bytes"


def test_a_damaged_line_is_counted_and_the_next_one_read(tmp_path: Path) -> None:
    lines = written(tmp_path / "a").read_bytes().splitlines(keepends=True)
    lines[2] = b"\x00" * 50 + b"\n"
    recording = of(b"".join(lines))
    assert list(recording) == [Moment(START, Lost(unreadable=1)), *STREAM[1:]]
    assert recording.damage == "has damaged lines"


def test_a_line_of_a_newer_kind_is_counted_as_unknown() -> None:
    recording = of(b'{"kvtrace":1}\n[5,"new.thing",{"by":1,"seq":1,"at":1,"wall":1}]\n')
    assert [one.news for one in recording] == [Lost(unreadable=1)]
    introduced = b'{"kvtrace":1}\n[0,"speaker",{"by":1,"process":"a"}]\n'
    recording = of(introduced + b'[5,"new.thing",{"by":1,"seq":1,"at":1,"wall":1}]\n')
    assert [one.news for one in recording] == [Lost(unknown=1)]
    assert not recording.damage


def test_time_never_goes_back() -> None:
    recording = of(b'{"kvtrace":1}\n[9,"silence",{}]\n[3,"silence",{}]\n')
    assert [one.at for one in recording] == [9, 9]
    assert recording.damage == "has lines out of order"


def test_a_line_without_end_does_not_fill_the_memory() -> None:
    recording = of(b'{"kvtrace":1}\n' + b"[" * (3 * LONGEST) + b'\n[1,"silence",{}]\n')
    assert list(recording)[-1] == Moment(1)


@pytest.mark.parametrize(
    ("whole", "says"),
    [
        (b"", "a.kvtrace is empty"),
        (b"\x7fELF\x00\n", "a.kvtrace is not a recording: make one with `kvtrace record FILE`"),
        (b'{"hello":"world"}', "is not a recording"),
        (b'{"kvtrace":2,"version":"9.0"}\n', "version 2.*newer kvtrace .9.0 wrote it"),
        (b'{"kvtrace":0}\n', "version 0"),
    ],
)
def test_what_is_no_recording_is_refused_with_advice(whole: bytes, says: str) -> None:
    with pytest.raises(RecordingError, match=says):
        of(whole)


def test_one_with_only_a_header_is_silence_at_its_beginning() -> None:
    recording = of(header_line(Header(kvtrace=1, monotonic=7)))
    assert list(recording) == [Moment(7)]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    for path, says in ((tmp_path / "gone", "cannot be read"), (tmp_path, "is a directory")):
        with pytest.raises(RecordingError, match=f"{path} {says}"):
            open_recording(path)


@settings(deadline=None)
@given(st.binary(max_size=200), st.booleans(), st.booleans())
def test_any_bytes_raise_nothing_but_our_own_error(
    rubbish: bytes, headed: bool, zipped: bool
) -> None:
    whole = (b'{"kvtrace":1}\n' if headed else b"") + rubbish
    if zipped:
        whole = gzip.compress(whole)[:-9] + rubbish
    try:
        list(of(whole))
    except RecordingError:
        assert not headed or zipped


@settings(deadline=None)
@given(st.data())
def test_any_damage_leaves_the_rest_readable(data: st.DataObject) -> None:
    whole = (KEPT / "version-1.kvtrace").read_bytes()
    place = data.draw(st.integers(whole.index(b"\n") + 1, len(whole) - 1))
    damaged = whole[:place] + data.draw(st.binary(max_size=9)) + whole[place + 4 :]
    list(of(damaged))


@pytest.mark.parametrize("name", ["a.kvtrace", "a.kvtrace.gz"])
def test_its_length_is_known_before_it_plays(tmp_path: Path, name: str) -> None:
    path = written(tmp_path / name)
    assert length(path) == 4 * SECOND
    path.write_bytes(path.read_bytes()[:-12])
    assert length(path) in (2 * SECOND, 4 * SECOND)


def test_the_length_of_a_stream_is_not_known() -> None:
    assert length(Path("-")) is None


@pytest.mark.parametrize("path", sorted(KEPT.glob("*.kvtrace")), ids=lambda path: path.name)
def test_recordings_of_every_version_stay_readable(path: Path) -> None:
    with closing(open_recording(path)) as recording:
        found = list(recording)
    assert not recording.damage
    assert len(found) > 40


def test_the_length_of_what_was_packed_in_several_parts_is_that_of_the_last(tmp_path: Path) -> None:
    whole = gzip.decompress(written(tmp_path / "a.kvtrace.gz").read_bytes())
    first, rest = whole[: len(whole) // 2], whole[len(whole) // 2 :]
    path = tmp_path / "parts.gz"
    path.write_bytes(gzip.compress(first) + gzip.compress(rest))
    assert length(path) == 4 * SECOND


def test_the_length_of_a_long_packed_recording_is_known(tmp_path: Path) -> None:
    stream = [moment(at / 100, record(seq=at)) for at in range(1, 12_000)]
    path = written(tmp_path / "a.kvtrace.gz", stream)
    assert len(gzip.decompress(path.read_bytes())) > LONGEST
    assert length(path) == 12_000 * SECOND // 100 - SECOND // 100
