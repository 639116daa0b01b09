"""`kvtrace version`."""

import pytest

from kvtrace import __version__
from kvtrace.cli import run


@pytest.mark.parametrize("argument", ["version", "--version"])
def test_the_version_can_be_asked_either_way(
    argument: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([argument]) == 0
    assert capsys.readouterr().out == f"kvtrace {__version__}\n"
