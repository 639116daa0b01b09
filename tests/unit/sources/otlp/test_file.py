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
from kvtrace.sources.otlp.cutter import LONG, STRANGE
from kvtrace.sources.otlp.file import CHUNK, OtlpFile, is_otlp
from tests.unit.sources.otlp.requests import foreign_logs, logs, record, spans

LOST = Lost(unreadable=1)
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
    assert [one.news for one in moments] == [LOST, *TOLD, Lost(unreadable=2), None]
    assert file.damage == f"{STRANGE}, in line 1 (and 2 more)"


def test_a_torn_packed_file_is_read_up_to_there(tmp_path: Path) -> None:
    path = tmp_path / "logs.json.gz"
    path.write_bytes(gzip.compress(line(logs(*TOLD)) * 50)[:-12])
    moments, file = read(path)
    assert sum(isinstance(one.news, Lost) for one in moments) >= 1
    assert "ends early" in file.damage


def test_a_line_without_end_takes_no_memory_without_end(tmp_path: Path) -> None:
    path, whole = tmp_path / "logs.json", line(logs(*TOLD))
    endless = b'{"resourceLogs":[{"a":"' + bytes(3 * CHUNK)
    path.write_bytes(whole + endless)
    with closing(OtlpFile(path, longest=len(whole))) as file:
        news = [one.news for one in file]
    assert news == [*TOLD, LOST, None]
    assert file.damage == f"{LONG}, in line 2"


def test_much_rubbish_is_one_line_of_a_report(tmp_path: Path) -> None:
    path = tmp_path / "logs.json"
    path.write_bytes(
        b"{]\n" * 5000 + b'{"resourceLogs":[1,2,{"scopeLogs":3}]}\n' + line(logs(*TOLD))
    )
    moments, file = read(path)
    assert [one.news for one in moments] == [Lost(unreadable=5002), *TOLD, None]
    assert file.damage == f"{STRANGE}, in line 1 (and 5,001 more)"


def test_what_is_not_ours_or_cannot_be_read_is_told(tmp_path: Path) -> None:
    path, broken = tmp_path / "logs.json", logs(*TOLD)
    assert told(path, line(logs(*TOLD))) == ""
    assert told(path, b'{"resourceLogs":[{},{}]}') == "holds no log record, span or metric"
    del broken.resource_logs[0].scope_logs[0].log_records[1].attributes[:]
    text = line(foreign_logs(2)) + line(broken)
    assert told(path, text) == "holds 5 records, 2 not kvtrace's; 1 unreadable, the first in line 2"
    assert Lost(unreadable=1) in [one.news for one in read(path)[0]]


def told(path: Path, text: bytes) -> str:
    path.write_bytes(text)
    return read(path)[1].told


def test_a_request_may_be_laid_out_over_lines_and_what_is_wrong_has_its_line(
    tmp_path: Path,
) -> None:
    path, text = tmp_path / "logs.json", json_format.MessageToJson(logs(*TOLD), indent=2)
    path.write_text("\ufeff" + text, encoding="utf-8")
    moments, file = read(path)
    assert ([one.news for one in moments], file.damage) == ([*TOLD, None], "")
    lines = text.splitlines()
    wrong = next(number for number, one in enumerate(lines) if "logRecords" in one) + 2
    path.write_text("\n".join([*lines[:wrong], "?", *lines[wrong:]]))
    moments, file = read(path)
    assert [one.news for one in moments] == [Lost(unreadable=1), None]
    assert file.damage == f"{STRANGE}, in line {wrong + 1}"


def test_a_file_may_hold_more_than_one_request_may(tmp_path: Path) -> None:
    path = tmp_path / "logs.json"
    path.write_bytes(line(foreign_logs(2)) * 5 + line(logs(*TOLD)))
    with closing(OtlpFile(path, most=len(TOLD))) as file:
        news = [one.news for one in file]
    assert (news, file.damage, file.tally.foreign) == ([*TOLD, None], "", 10)


def test_ids_may_be_as_protobuf_itself_writes_them(tmp_path: Path) -> None:
    path, request = tmp_path / "logs.json", logs(*TOLD)
    request.resource_logs[0].scope_logs[0].log_records[0].trace_id = bytes(range(16))
    path.write_bytes(line(request))
    assert [one.news for one in read(path)[0]] == [*TOLD, None]


def test_a_missing_file_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="cannot be read"):
        OtlpFile(tmp_path / "none.json")


def test_only_export_requests_are_taken_for_them() -> None:
    assert is_otlp(b'{"resourceLogs":[')
    assert is_otlp(b'\n{ "resourceSpans": [')
    assert is_otlp(b'[\n  {\n    "resourceLogs": [')
    assert is_otlp(b'\xef\xbb\xbf{"request": {"resourceSpans": [')
    assert not is_otlp(b'{"kvtrace":1}')
    assert not is_otlp(b"")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_counted(tmp_path: Path, garbage: bytes) -> None:
    path = tmp_path / "any"
    path.write_bytes(b'{"resourceLogs":[' + garbage)
    read(path)
