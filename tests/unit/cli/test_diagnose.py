"""`kvtrace diagnose`, in this process."""

import gzip
import json
import socket
from functools import partial
from pathlib import Path

import pytest
from google.protobuf import json_format

from kvtrace.cli import run
from kvtrace.moments import Moment, Record
from kvtrace.recording import Header
from kvtrace.sinks.recording import RecordingWriter
from tests.unit.samples import (
    PRODUCER_FIRST,
    WHOLE,
    blocks_released,
    lease_expired,
    prefill_admitted,
    send_reported,
)
from tests.unit.sources.otlp.requests import logs
from tests.unit.story import CLOCK, SECOND, Story

STALLED = Story().at(0, *PRODUCER_FIRST).at(9)
HEALTHY = Story().at(0, *WHOLE).at(1)


def recorded(path: Path, story: Story) -> Path:
    header = Header(kvtrace=1, started_at=SECOND, monotonic=0, clock=CLOCK)
    writer = RecordingWriter(path, header)
    for moment in story.moments:
        writer.write(moment)
    writer.close()
    return path


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["diagnose", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_stall_in_a_recording_is_reported(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = recorded(tmp_path / "a.kvtrace", STALLED)
    code, out, err = said(capsys, str(path))
    assert (code, err) == (1, "")
    assert "1. registration never came: 1 waiting now" in out


def test_a_stall_of_less_than_a_second_is_told_though_its_blocks_were_given_up(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    story = Story().at(0, *PRODUCER_FIRST)
    for second in (4.8, 5.3):
        story.at(second, prefill_admitted(request="r2"))
    story.at(5.6, lease_expired(), send_reported(), blocks_released())
    code, out, err = said(capsys, str(recorded(tmp_path / "a.kvtrace", story)))
    assert (code, err) == (1, "")
    assert "-  registration never came: 1 transfer waited 5.30 s" in out


def test_where_nothing_is_wrong_the_exit_code_is_0(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, out, _ = said(capsys, str(recorded(tmp_path / "a.kvtrace", HEALTHY)))
    assert code == 0
    assert "Nothing is wrong" in out


def test_json_is_one_object_of_everything(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, out, _ = said(capsys, str(recorded(tmp_path / "a.kvtrace", STALLED)), "--json")
    found = json.loads(out)
    assert code == 1
    assert [one["cause"] for one in found["causes"]] == ["registration-never-came"]
    assert found["transfers"][0]["diagnosis"]["cause"] == "registration-never-came"


def test_otlp_in_a_file_or_on_the_standard_input_is_diagnosed_alike(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = [one.news for one in STALLED.moments if isinstance(one.news, Record)]
    later = Story().at(20, prefill_admitted(request="r2-aaaaaaaa")).moments
    told += [one.news for one in later if isinstance(one.news, Record)]
    path = tmp_path / "logs.json"
    path.write_text(json_format.MessageToJson(logs(*told), indent=None) + "\n")
    code, out, err = said(capsys, str(path))
    assert (code, err) == (1, "")
    assert "registration never came: 1 waiting now, the oldest for 20.0 s" in out
    packed = tmp_path / "logs.json.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert said(capsys, str(packed)) == (code, out, err)
    for one in (path, packed, recorded(tmp_path / "a.kvtrace", STALLED)):
        monkeypatch.setattr("kvtrace.cli.diagnose.standard_input", partial(one.open, "rb"))
        code, out, err = said(capsys, "-")
        assert (code, err) == (1, "")
        assert "registration never came: 1 waiting now" in out


def test_damage_is_said_and_the_rest_diagnosed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = recorded(tmp_path / "a.kvtrace", STALLED)
    path.write_bytes(path.read_bytes() + b"[")
    code, _, err = said(capsys, str(path))
    assert code == 1
    assert err.endswith("breaks off in the middle of a line; diagnosed is what can be read\n")


def test_nothing_wrong_in_a_file_with_holes_is_not_told_for_sure(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = recorded(tmp_path / "a.kvtrace", HEALTHY)
    first, *others = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([first, *others[:3], b"[damaged]\n", *others[3:]]))
    code, out, err = said(capsys, str(path))
    assert (code, "Nothing is wrong" in out) == (2, True)
    assert f"what of {path} cannot be read may tell of something wrong" in err
    path.write_bytes(b"".join([first, *others[:2], *reversed(others[2:])]))
    code, _, err = said(capsys, str(path))
    assert (code, "has lines out of order" in err) == (2, True)


def test_nothing_wrong_up_to_where_a_recorder_was_killed_is_0(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = recorded(tmp_path / "a.kvtrace", HEALTHY)
    path.write_bytes(path.read_bytes() + b"[")
    assert said(capsys, str(path))[0] == 0


def test_what_cannot_be_read_exits_with_2(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert said(capsys, str(tmp_path / "none"))[0] == 2
    (tmp_path / "empty").write_text("")
    assert said(capsys, str(tmp_path / "empty"))[0] == 2
    newer = tmp_path / "newer"
    newer.write_text('{"kvtrace":99}\n')
    assert "replay it with a newer kvtrace" in said(capsys, str(newer))[2]
    code, _, err = said(capsys, str(tmp_path / "x"), "--live", ":1")
    assert (code, "exclude each other" in err) == (2, True)


def test_an_empty_directory_has_no_engine(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    tmp_path.chmod(0o700)
    code, _, err = said(capsys, str(tmp_path))
    assert code == 2
    assert f"{tmp_path} holds no black box" in err


def test_a_recording_of_silence_has_no_engine(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    header = Header(kvtrace=1, started_at=SECOND, monotonic=0, clock=CLOCK)
    writer = RecordingWriter(tmp_path / "a.kvtrace", header)
    writer.write(Moment(5 * SECOND))
    writer.close()
    code, _, err = said(capsys, str(tmp_path / "a.kvtrace"))
    assert (code, f"{tmp_path / 'a.kvtrace'} tells of no engine" in err) == (2, True)


def test_one_that_has_only_its_beginning_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = recorded(tmp_path / "a.kvtrace", Story())
    code, _, err = said(capsys, str(path))
    assert (code, f"{path} tells of no engine" in err) == (2, True)
    assert run(["replay", str(path), "--once"]) == 2
    out, said_alike = capsys.readouterr()
    assert (out, said_alike) == ("", err)


def test_a_port_that_is_taken_is_to_be_changed_by_the_option_that_named_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        code, _, err = said(capsys, "--live", place, "--seconds", "0.1")
    assert code == 2
    assert "with --live" in err
    assert "--listen" not in err


def test_where_no_agent_speaks_it_says_where_it_listened(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = said(capsys, "--live", "127.0.0.1:0", "--seconds", "0.05")
    assert (code, out) == (2, "")
    assert "no agent sent anything to 127.0.0.1:0" in err
