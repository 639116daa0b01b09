import logging
from collections.abc import Callable
from types import SimpleNamespace as Thing
from typing import Any

import pytest
from kvtrace_connector.around import surrounded
from kvtrace_connector.fuse import After, Bracket, Fuse, Hook, Outcome


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


def called(fuse: Fuse, hook: Hook | After, stock: Callable[[Any], Any]) -> Any:
    return surrounded(hook, stock)(Thing(_kvtrace=Thing(fuse=fuse)))


def test_once_blown_a_hook_at_work_is_left_where_it_is() -> None:
    ended: list[bool] = []

    def hook(*_: Any) -> Bracket:
        yield None
        ended.append(True)

    fuse = Fuse(lambda words: None)
    called(fuse, hook, lambda host: fuse.blow(ValueError()))
    called(fuse, After(hook), lambda host: 3)
    assert not ended


def test_last_words_that_cannot_be_written_are_not_felt(caplog: pytest.LogCaptureFixture) -> None:
    fuse = Fuse(broken)
    fuse.run(broken)
    assert fuse.blown


def test_a_hook_learns_how_the_call_ended() -> None:
    seen: list[Outcome] = []

    def hook(*_: Any) -> Bracket:
        yield (outcome := Outcome())
        seen.append(outcome)

    fuse = Fuse(lambda words: None)
    assert called(fuse, hook, lambda host: 3) == 3
    assert seen == [Outcome(result=3)]
    assert not fuse.blown


def test_a_hook_learns_what_a_call_raised_and_does_not_keep_it() -> None:
    seen: list[str] = []
    outcomes: list[Outcome] = []

    def hook(*_: Any) -> Bracket:
        yield (outcome := Outcome())
        outcomes.append(outcome)
        seen.append(repr(outcome.error))

    with pytest.raises(LookupError):
        called(Fuse(lambda words: None), hook, broken)
    assert (seen, outcomes) == (["LookupError('ours')"], [Outcome()])


def test_a_hook_that_looks_only_after_the_call_learns_what_it_gave_or_raised() -> None:
    seen: list[Any] = []
    hook = After(
        lambda half, host, gave: seen.append(gave),
        lambda half, host, error: seen.append(repr(error)),
    )
    fuse = Fuse(lambda words: None)
    assert called(fuse, hook, lambda host: 3) == 3
    with pytest.raises(LookupError):
        called(fuse, hook, broken)
    with pytest.raises(LookupError):
        called(fuse, After(hook.gave), broken)
    assert seen == [3, "LookupError('ours')"]
    assert not fuse.blown


def test_the_log_is_one_that_vllm_shows() -> None:
    assert logging.getLogger("vllm.kvtrace").name.startswith("vllm.")
