from pathlib import Path

import pytest
from lab.options import parse


def test_without_words_it_is_the_screen_on_free_ports() -> None:
    options = parse([])
    assert not options.headless
    assert (options.router_port, options.tp_producer, options.tp_consumer) == (0, 1, 1)


def test_the_words_of_a_headless_run_are_understood() -> None:
    options = parse(["--headless", "--seconds", "5", "--json", "--record", "a.kvtrace"])
    assert (options.seconds, options.json, options.record) == (5.0, True, Path("a.kvtrace"))


@pytest.mark.parametrize("words", [["--rate", "0"], ["--router-port", "70000"], ["--seconds", "x"]])
def test_impossible_values_are_refused(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        parse(words)
    assert words[0] in capsys.readouterr().err
