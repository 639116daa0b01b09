import logging
from typing import Any

import pytest
from kvtrace_connector.fuse import Bracket, Fuse, Outcome


def broken(*_: Any) -> None:
    raise LookupError("ours")


def test_the_first_error_is_the_last(caplog: pytest.LogCaptureFixture) -> None:
    words: list[str] = []
    fuse = Fuse(words.append)
    for _ in range(3):
        fuse.run(broken)
    assert words == ["LookupError: ours"]
    assert len(caplog.records) == 1
    assert caplog.records[0].exc_info is not None


def test_once_blown_nothing_is_attempted() -> None:
    calls: list[int] = []
    fuse = Fuse(lambda words: None)
    fuse.run(broken)
    fuse.run(calls.append, 1)
    assert not calls


def test_once_blown_a_hook_at_work_is_left_where_it_is() -> None:
    ended: list[bool] = []

    def hook() -> Bracket:
        yield
        ended.append(True)

    fuse = Fuse(lambda words: None)
    bracket = hook()
    assert fuse.begin(bracket)
    fuse.blow(ValueError())
    fuse.finish(bracket, Outcome())
    assert not ended


def test_last_words_that_cannot_be_written_are_not_felt(caplog: pytest.LogCaptureFixture) -> None:
    fuse = Fuse(broken)
    fuse.run(broken)
    assert fuse.blown


def test_a_hook_learns_how_the_call_ended() -> None:
    seen: list[Outcome] = []

    def hook() -> Bracket:
        seen.append((yield))

    fuse = Fuse(lambda words: None)
    bracket = hook()
    assert fuse.begin(bracket)
    fuse.finish(bracket, Outcome(result=3))
    assert seen == [Outcome(result=3)]
    assert not fuse.blown


def test_the_log_is_one_that_vllm_shows() -> None:
    assert logging.getLogger("vllm.kvtrace").name.startswith("vllm.")
