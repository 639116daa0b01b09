"""What two engines' ids of one request have in common."""

import pytest

from kvtrace.identity import base_id


@pytest.mark.parametrize(
    ("local", "base"),
    [
        ("cmpl-3f0c-0-1a2b3c4d", "cmpl-3f0c-0"),
        ("chatcmpl-x-ABCDEF01", "chatcmpl-x"),
        ("r1", "r1"),
        ("r1-1a2b3c4", "r1-1a2b3c4"),
        ("r1-1a2b3c4d5", "r1-1a2b3c4d5"),
        ("r1-1a2b3c4g", "r1-1a2b3c4g"),
        ("1a2b3c4d", "1a2b3c4d"),
        ("a-11111111-22222222", "a-11111111"),
        ("r1-1a2b3c4d\n", "r1-1a2b3c4d\n"),
        ("", ""),
    ],
)
def test_the_base_id_is_the_id_without_what_the_engine_appended(local: str, base: str) -> None:
    assert base_id(local) == base
