"""What the values of options mean."""

from pathlib import Path

import click
import pytest

from kvtrace.cli import run
from kvtrace.cli.options import duration, missing, readable, seconds, speed
from kvtrace.errors import KvtraceError

SECOND = 1_000_000_000


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0", 0), ("90s", 90), ("30m", 1800), ("1h30m", 5400), ("2d", 172_800), ("0.5s", 0.5)],
)
def test_durations_are_written_as_one_says_them(text: str, seconds: float) -> None:
    assert duration(text) == seconds * SECOND


@pytest.mark.parametrize("text", ["", "90", "1w", "-5s", "h", "1h 30m", "1e3s"])
def test_what_is_no_duration_shows_how_they_are_written(text: str) -> None:
    with pytest.raises(click.BadParameter, match="write 90s, 30m, 24h, 2d or 0"):
        duration(text)


@pytest.mark.parametrize(
    ("text", "factor"), [("1", 1.0), ("0.1x", 0.1), ("1000x", 1000.0), ("max", float("inf"))]
)
def test_speeds_are_factors(text: str, factor: float) -> None:
    assert speed(text) == factor


@pytest.mark.parametrize("text", ["0", "0.05x", "1001x", "fast", "-1x", "nan", "inf"])
def test_what_is_no_speed_shows_what_speeds_there_are(text: str) -> None:
    with pytest.raises(click.BadParameter, match=r"write 0\.1x to 1000x, or max"):
        speed(text)


def test_the_directory_given_goes_before_the_environment(tmp_path: Path) -> None:
    environ = {"KVTRACE_DIR": "/elsewhere"}
    assert readable(tmp_path, environ=environ) == tmp_path
    assert readable(None, environ=environ) == Path("/elsewhere")
    assert readable(None, environ={}, uid=4242) == Path("/dev/shm/kvtrace-4242")


def test_a_directory_may_still_come(tmp_path: Path) -> None:
    assert readable(tmp_path / "later") == tmp_path / "later"


def test_a_file_is_not_a_directory(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    with pytest.raises(KvtraceError, match="file is not a directory: name one with --dir"):
        readable(path)
    with pytest.raises(KvtraceError, match=r"cannot be read \(Not a directory"):
        readable(path / "below")


def test_a_directory_of_another_user_is_refused_but_to_root(tmp_path: Path) -> None:
    owner = tmp_path.stat().st_uid
    with pytest.raises(KvtraceError, match=f"belongs to user {owner}: run kvtrace as that user"):
        readable(tmp_path, uid=owner + 1)
    assert readable(tmp_path, uid=0) == tmp_path


def test_a_duration_that_no_clock_can_tell_is_for_ever() -> None:
    assert duration("9" * 400 + "d") == 1 << 64


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "1e999", "soon"])
def test_what_is_no_number_of_seconds_shows_how_they_are_written(text: str) -> None:
    with pytest.raises(click.BadParameter, match=r"write 60, 0\.5 or 2m"):
        seconds(text)


LONG = "a" * 5000


@pytest.mark.parametrize(
    "arguments",
    [
        ["live", "--once", "--dir"],
        ["live", "--plain", "--record"],
        ["live", "--once", "--svg"],
        ["record"],
        ["replay"],
        ["diagnose"],
        ["agent", "--dir"],
        ["collect", "--record"],
        ["collect", "--token-file"],
        ["collect", "--tls-cert"],
    ],
)
@pytest.mark.parametrize(("path", "said"), [("", "it is empty"), (LONG, "so long a name")])
def test_what_can_be_no_path_is_one_sentence(
    arguments: list[str], path: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*arguments, path]) == 2
    told = capsys.readouterr().err
    assert len(told.splitlines()) == 1
    assert said in told


@pytest.mark.parametrize("host", ["x..y", ".", "a" * 300])
@pytest.mark.parametrize(
    "arguments",
    [
        ["collect", "--http", "off", "--listen"],
        ["collect", "--listen", "127.0.0.1:0", "--http"],
        ["diagnose", "--live"],
        ["live", "--web"],
        ["collect", "--listen", "127.0.0.1:0", "--http", "off", "--forward"],
    ],
)
def test_what_can_be_no_host_is_one_sentence(
    arguments: list[str], host: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*arguments, f"{host}:4317"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_directory_that_is_not_there_is_told_with_what_makes_it(tmp_path: Path) -> None:
    assert missing(tmp_path) == ""
    told = missing(tmp_path / "a")
    assert told.startswith(f"{tmp_path}/a does not exist")
    assert f"KVTRACE=1 and KVTRACE_DIR={tmp_path}/a" in told


@pytest.mark.parametrize("arguments", [["live", "--once", "--plain"], ["agent", "--endpoint=h:1"]])
def test_commands_say_so_of_their_own(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = tmp_path / "a" / "b"
    run([*arguments, "--dir", str(where)])
    assert f"{where} does not exist" in capsys.readouterr().err


@pytest.mark.parametrize(("text", "told"), [("60", 60), ("0.5", 0.5), ("90s", 90), ("1m30s", 90)])
def test_seconds_may_be_written_as_a_duration(text: str, told: float) -> None:
    assert seconds(text) == told
