"""The command line as a whole."""

from pathlib import Path

import pytest

from kvtrace.cli import COMMANDS, run


@pytest.fixture(autouse=True)
def _no_terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KVTRACE_DIR", str(tmp_path / "boxes"))


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(arguments)
    out, err = capsys.readouterr()
    return code, out, err


def test_alone_it_helps(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys)
    assert code == 0
    assert "Examples:" in out
    assert all(text in out for text in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_each_subcommand_helps(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, name, "--help")
    assert code == 0
    assert f"Usage: kvtrace {name}" in out
    if name != "version":
        assert "Examples:" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["liv"], "kvtrace: No such command 'liv'; see `kvtrace --help`\n"),
        (["live", "--dead", "1w"], "'1w' is no duration: write 90s"),
        (["live", "--foo"], "kvtrace: No such option"),
        (["live", "--json", "--plain"], "--plain and --json exclude each other"),
        (["replay"], "Missing argument 'FILE'; see `kvtrace replay --help`\n"),
        (["replay", "/nowhere"], "kvtrace: /nowhere cannot be read (No such file or directory)"),
        (["replay", "x", "--speed", "2000"], "'2000' is no speed"),
        (["record", "/nowhere/x"], "kvtrace: /nowhere/x cannot be made"),
        (["live", "--dir", "/dev/null"], "kvtrace: /dev/null is not a directory"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_code_2(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = said(capsys, *arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


def test_a_name_with_escapes_reaches_no_terminal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "a.kvtrace"
    path.write_text('{"kvtrace":99,"version":"\\u001b]0;title\\u0007"}\n')
    for arguments in (["replay", str(path)], ["replay", "\x1b[31m"], ["live", "\x1b[31m"]):
        code, _, err = said(capsys, *arguments)
        assert code == 2
        assert "\x1b" not in err
        assert "�" in err
