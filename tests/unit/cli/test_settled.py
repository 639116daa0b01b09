"""The file of settings, and what is said where it is wrong."""

from pathlib import Path

import pytest

from kvtrace.cli.settled import place, settled
from kvtrace.tui.preferences import Preferences, trace_url


def wrote(directory: Path, text: str | bytes) -> dict[str, str]:
    path = directory / "kvtrace" / "config.toml"
    path.parent.mkdir()
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return {"XDG_CONFIG_HOME": str(directory)}


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    assert settled({"XDG_CONFIG_HOME": str(tmp_path)}) == (Preferences(), "")


def test_it_is_under_the_directory_for_settings() -> None:
    assert place({"XDG_CONFIG_HOME": "/c"}) == Path("/c/kvtrace/config.toml")
    assert place({"HOME": "/h"}) == Path("/h/.config/kvtrace/config.toml")
    assert place({"HOME": "/h", "XDG_CONFIG_HOME": "here"}) == place({"HOME": "/h"})


def test_what_is_settled_holds(tmp_path: Path) -> None:
    given = 'theme = "light"\ntrace_url = "http://t/{trace_id}?x"\nascii = true\n'
    found, complaint = settled(wrote(tmp_path, given))
    assert complaint == ""
    assert (found.theme, found.ascii) == ("light", True)
    assert trace_url(found, "ab12") == "http://t/ab12?x"
    assert trace_url(Preferences(), "ab12") == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("colour = 1", "there is no setting 'colour'; there are theme, trace_url, ascii"),
        ('theme = "pink"', "there is no theme 'pink'; there are dark, light, contrast, safe"),
        ("theme = 3", "Expected `str`, got `int` - at `$.theme`"),
        ('trace_url = "http://t/"', "trace_url needs {trace_id} where the trace's id goes"),
        ("theme", "is not TOML"),
        (b"\xff\xfe", "is not TOML"),
        ("theme = " + "[" * 20_000, "is not TOML"),
        ("#" * 70_000, "is too long"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_and_the_defaults_hold(
    tmp_path: Path, text: str | bytes, said: str
) -> None:
    found, complaint = settled(wrote(tmp_path, text))
    assert found == Preferences()
    assert complaint.startswith(str(tmp_path))
    assert said in complaint
    assert "\n" not in complaint


def test_a_directory_in_its_place_is_no_crash(tmp_path: Path) -> None:
    (tmp_path / "kvtrace" / "config.toml").mkdir(parents=True)
    assert "cannot be read" in settled({"XDG_CONFIG_HOME": str(tmp_path)})[1]
