"""The options of whatever listens."""

import pytest

from kvtrace.cli import run
from kvtrace.cli.listening import OPTIONS, Asked


def test_every_option_has_its_place_in_what_is_asked() -> None:
    names = {option.name for option in _made()}
    assert names == set(Asked.__struct_fields__) - {"patience", "option"}


def _made() -> list[object]:
    import click  # a command only to look at what the options made

    def command() -> None:
        """Nothing."""

    for option in OPTIONS:
        option(command)
    return list(click.command()(command).params)


def test_nothing_asked_is_nothing() -> None:
    assert not Asked().is_anything
    assert Asked(http="off").is_anything


@pytest.mark.parametrize("command", ["live", "collect"])
def test_help_tells_the_options(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "--help"]) == 0
    told = capsys.readouterr().out
    assert "--listen [ADDR]" in told
    assert "--forward ENDPOINT" in told


def test_how_long_to_listen_is_asked_only_of_one_look(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["live", "--plain", "--listen", "--for", "3s"]) == 2
    assert "needs --once" in capsys.readouterr().err
