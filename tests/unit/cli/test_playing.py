"""What of a recording is shown."""

import json
from contextlib import closing
from pathlib import Path

import pytest

from kvtrace.cli.playing import play
from kvtrace.cli.view import Form, View
from kvtrace.errors import KvtraceError
from kvtrace.seeking import Target, target
from kvtrace.sources.recording import open_recording

KEPT = Path(__file__).parents[2] / "recordings" / "version-1.kvtrace"


def played(capsys: pytest.CaptureFixture[str], view: View, wanted: Target | None = None) -> str:
    with closing(open_recording(KEPT)) as recording:
        play(recording, KEPT, view, None, wanted)
    return capsys.readouterr().out


def test_once_is_how_things_stood_in_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    whole = played(capsys, View(Form.JSON))
    once = played(capsys, View(Form.JSON, once=True))
    assert json.loads(once) == json.loads(whole.splitlines()[-1])


def test_a_picture_is_made_of_the_place_that_was_asked_for(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    picture = tmp_path / "a.svg"
    out = played(capsys, View(Form.PLAIN, once=True, svg=picture), target("50%"))
    assert "in flight" in out
    assert "<svg" in picture.read_text(encoding="utf-8")


def test_a_place_that_is_not_in_it_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KvtraceError, match="leads nowhere"):
        played(capsys, View(Form.PLAIN, once=True), target("9h"))
