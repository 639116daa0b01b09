"""`kvtrace completion`, and what it completes."""

import pytest
from click.shell_completion import CompletionItem, ShellComplete

from kvtrace.cli import kvtrace, run


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_it_prints_the_script_of_a_shell(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", shell]) == 0
    assert "_KVTRACE_COMPLETE" in capsys.readouterr().out


def test_another_shell_is_refused_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", "tcsh"]) == 2
    assert "'bash', 'zsh', 'fish'" in capsys.readouterr().err


def test_subcommands_and_options_are_completed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_KVTRACE_COMPLETE", "bash_complete")
    for typed, found in (("kvtrace re", "plain,replay"), ("kvtrace live --da", "")):
        monkeypatch.setenv("COMP_WORDS", typed)
        monkeypatch.setenv("COMP_CWORD", str(len(typed.split()) - 1))
        with pytest.raises(SystemExit):
            run([])
        assert found in capsys.readouterr().out


@pytest.mark.parametrize("words", ["kvtrace replay exam", "kvtrace diagnose ", "kvtrace record x"])
def test_file_names_are_left_to_the_shell(words: str) -> None:
    found = completed(words)
    assert [item.type for item in found] == ["file"]


def test_causes_are_completed_by_any_part_of_their_names() -> None:
    assert [item.value for item in completed("kvtrace explain ran-out")] == ["lease-ran-out"]


def completed(words: str) -> list[CompletionItem]:
    *before, last = words.split(" ")
    shell = ShellComplete(kvtrace, {}, "kvtrace", "_KVTRACE_COMPLETE")
    return shell.get_completions(before[1:], last)
