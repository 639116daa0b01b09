import pytest

from kvtrace.tui.glyphs import ASCII, UTF8, Glyphs, plain
from kvtrace.tui.terminal import glyphs, has_many_colours


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, UTF8),
        ({"LANG": "en_US.UTF-8"}, UTF8),
        ({"LANG": "de_DE.utf8"}, UTF8),
        ({"LANG": "C"}, ASCII),
        ({"LANG": "C", "LC_CTYPE": "C.UTF-8"}, ASCII),
        ({"LANG": "de_DE@euro"}, ASCII),
        ({"LANG": "C", "LC_ALL": "C.UTF-8"}, UTF8),
        ({"LC_CTYPE": "C.UTF-8"}, UTF8),
    ],
)
def test_signs_follow_the_locale(environ: dict[str, str], expected: Glyphs) -> None:
    assert glyphs(environ) is expected


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, True),
        ({"TERM": "xterm-256color"}, True),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, True),
        ({"TERM": "linux"}, False),
    ],
)
def test_few_colours_are_known(environ: dict[str, str], expected: bool) -> None:
    assert has_many_colours(environ) is expected


def test_every_ascii_sign_is_ascii() -> None:
    for name in Glyphs.__struct_fields__:
        assert getattr(ASCII, name).isascii()
        assert getattr(ASCII, name)


def test_words_become_ascii() -> None:
    assert plain("−1.84 ms ± 210 µs …") == "-1.84 ms +- 210 us ."
    assert plain("größe") == "gr??e"
