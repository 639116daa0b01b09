"""Files of export requests."""

import gzip
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from google.protobuf import json_format
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kvtrace.errors import RecordingError
from kvtrace.moments import Lost, Moment
from kvtrace.sources.otlp.file import OtlpFile, is_otlp
from tests.unit.sources.otlp.requests import foreign_logs, logs, record, spans

TOLD = [record(seq) for seq in range(1, 4)]


def read(path: Path, now: int = 1 << 62) -> tuple[list[Moment], OtlpFile]:
    with closing(OtlpFile(path, now=lambda: now)) as file:
        return list(file), file


def line(message: object) -> bytes:
    return json_format.MessageToJson(message, indent=None).encode() + b"\n"


def test_each_line_is_a_request(tmp_path: Path) -> None:
    path = tmp_path / "logs.json"
    path.write_bytes(line(logs(*TOLD[:2])) + b"\n" + line(foreign_logs()) + line(spans(TOLD[2])))
    moments, file = read(path)
    assert [one.news for one in moments] == [*TOLD, None]
    assert moments[-1] == Moment(TOLD[-1].wall)
    assert (file.damage, file.tally.foreign) == ("", 1)


def test_it_may_be_compressed(tmp_path: Path) -> None:
    path = tmp_path / "logs.json.gz"
    path.write_bytes(gzip.compress(line(logs(*TOLD))))
    assert [one.news for one in read(path)[0]][:-1] == TOLD


def test_an_instant_in_the_future_does_not_move_time_there(tmp_path: Path) -> None:
    path = tmp_path / "logs.json"
    late = msgspec.structs.replace(TOLD[0], wall=1 << 62)
    path.write_bytes(line(logs(late)))
    assert read(path, now=7)[0][-1] == Moment(7)


def test_what_is_no_request_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "logs.json"
    path.write_bytes(b"?\n" + line(logs(*TOLD)) + b'{"resourceLogs": 7}\n{"resourceLogs":[')
    moments, file = read(path)
    assert sum(isinstance(one.news, Lost) for one in moments) == 3
    assert file.damage


def test_a_torn_packed_file_is_read_up_to_there(tmp_path: Path) -> None:
    path = tmp_path / "logs.json.gz"
    path.write_bytes(gzip.compress(line(logs(*TOLD)) * 50)[:-12])
    moments, file = read(path)
    assert sum(isinstance(one.news, Lost) for one in moments) >= 1
    assert "ends early" in file.damage


def test_a_line_without_end_is_read_in_parts(tmp_path: Path) -> None:
    path, whole = tmp_path / "logs.json", line(logs(*TOLD))
    path.write_bytes(whole + bytes(3 * len(whole)))
    with closing(OtlpFile(path, longest=len(whole))) as file:
        news = [one.news for one in file]
    assert news == [*TOLD, *[Lost(unreadable=1)] * 3, None]
    assert file.damage == "has lines that are no export requests"


def test_a_missing_file_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="cannot be read"):
        OtlpFile(tmp_path / "none.json")


def test_only_export_requests_are_taken_for_them() -> None:
    assert is_otlp(b'{"resourceLogs":[')
    assert is_otlp(b'\n{ "resourceSpans": [')
    assert not is_otlp(b'{"kvtrace":1}')
    assert not is_otlp(b"")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_counted(tmp_path: Path, garbage: bytes) -> None:
    path = tmp_path / "any"
    path.write_bytes(b'{"resourceLogs":[' + garbage)
    read(path)
