"""What the lab's command line tells of itself."""

import pytest
from lab.parser import parsed


@pytest.mark.parametrize("words", [[], ["list"], ["run"], ["page"], ["healthy"]])
def test_every_word_and_option_is_told_with_examples(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parsed([*words, "--help"])
    said = capsys.readouterr().out
    assert ended.value.code == 0
    assert f"examples:\n  kvtrace lab {' '.join(words)}" in said
    # Each has a line of its own with words behind it, or on the next.
    told = said.split("examples:")[0].splitlines()
    for line, after in zip(told, [*told[1:], ""], strict=True):
        if line.startswith(("  -", "  NAME", "  FILE")):
            assert len(line.split("  ")) > 2 or after.startswith("   " * 4)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "x", "--times", "0"], "write 1 or more"),
        (["run", "x", "--times", "-1"], "write 1 or more"),
        (["healthy", "--seconds", "nan"], "above zero"),
        (["healthy", "--seconds", "x"], "above zero"),
        ([], "WORD"),
        (["nothing"], "invalid choice"),
    ],
)
def test_what_makes_no_sense_is_refused(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parsed(words)
    assert (ended.value.code, said in capsys.readouterr().err) == (2, True)


def test_what_is_not_told_is_as_help_says() -> None:
    assert parsed(["run", "a", "b"]).times == 1
    assert parsed(["healthy"]).seconds == 60
