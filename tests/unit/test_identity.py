"""What two engines' ids of one request have in common."""

import pytest

from kvtrace.identity import base_id, is_servers_own, routers_ids, siblings


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


@pytest.mark.parametrize(
    ("local", "ids"),
    [
        ("cmpl-abc-0-1a2b3c4d", {"abc-0", "abc"}),
        ("chatcmpl-abc-1a2b3c4d", {"abc"}),
        ("2_chatcmpl-abc-1a2b3c4d", {"abc"}),
        ("abc", {"abc"}),
        ("2_abc", {"2_abc"}),
    ],
)
def test_a_routers_id_is_what_vllm_puts_its_own_around(local: str, ids: set[str]) -> None:
    assert routers_ids(local) == ids


def test_siblings_are_other_children_and_other_prompts_of_one_call() -> None:
    assert "1_cmpl-x-0" in siblings("0_cmpl-x-0")
    assert "cmpl-x-0" in siblings("0_cmpl-x-0")
    assert "cmpl-x-1" in siblings("cmpl-x-0")
    assert "cmpl-x-0" not in siblings("cmpl-x-0")
    assert "cmpl-y-0" not in siblings("cmpl-x-0")


def test_what_the_server_calls_a_request_has_nothing_of_an_engine() -> None:
    assert is_servers_own("90dff02039fa88a7")
    assert not is_servers_own("cmpl-90dff02039fa88a7-0-1a2b3c4d")
    assert not is_servers_own("90dff02039fa88a7-1a2b3c4d")
    assert not is_servers_own("90dff02039fa88a7\n")
