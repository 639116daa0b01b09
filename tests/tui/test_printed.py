"""Pages that are read without the screen."""

import pytest

from kvtrace.tui.printed import printed

PAGE = """# lease ran out

P gave `kv_lease_duration` back, and *nobody* had come for its blocks by then; that is all.

## What to do

- Raise it.
- Cancel `a *b* <c>`.
"""


def test_plain_it_has_no_escape_and_code_keeps_its_marks() -> None:
    assert printed(PAGE, 44, styled=False) == [
        "lease ran out",
        "",
        "P gave `kv_lease_duration` back, and",
        "“nobody” had come for its blocks by then;",
        "that is all.",
        "",
        "What to do",
        "",
        " • Raise it.",
        " • Cancel `a *b* <c>`.",
    ]


@pytest.mark.parametrize("width", [20, 80])
def test_on_a_terminal_headings_and_code_stand_out(width: int) -> None:
    lines = printed(PAGE, width, styled=True)
    assert lines[0] == "\x1b[1mlease ran out\x1b[0m"
    assert "\x1b[1mkv_lease_duration\x1b[0m" in "".join(lines)
    assert "`" not in "".join(lines)
