"""A method around one of the host's: called once, as it was called itself."""

from collections.abc import Callable
from types import SimpleNamespace as Thing
from typing import Any

import pytest
from kvtrace_connector.around import surrounded
from kvtrace_connector.fuse import After, Bracket, Fuse, Hook


def host(fuse: Fuse | None = None) -> Any:
    return Thing(_kvtrace=Thing(fuse=fuse or Fuse(lambda words: None)))


def bracket(*_: Any) -> Bracket:
    yield None


def nothing(*_: Any, **__: Any) -> None:
    pass


def stock(self: Any, *args: Any, **named: Any) -> tuple[Any, ...]:
    return (args, named)


HOOKS: list[Hook | After] = [bracket, After(nothing)]
TAKES: list[tuple[tuple[str, ...] | None, tuple[Any, ...], dict[str, Any]]] = [
    (None, (1, 2), {"a": 3}),
    ((), (), {}),
    (("first", "second"), (1, 2), {}),
    (("first", "**"), (1,), {"more": 2}),
    (("first", "**"), (1,), {}),
    (("ends_",), (1,), {}),
]


@pytest.mark.parametrize("hook", HOOKS, ids=["around", "after"])
@pytest.mark.parametrize(("takes", "args", "named"), TAKES)
def test_arguments_and_result_pass_untouched(
    hook: Hook | After,
    takes: tuple[str, ...] | None,
    args: tuple[Any, ...],
    named: dict[str, Any],
) -> None:
    assert surrounded(hook, stock, takes)(host(), *args, **named) == (args, named)


def test_what_it_takes_can_be_given_by_name() -> None:
    method = surrounded(bracket, stock, ("first", "second"))
    assert method(host(), 1, second=2) == ((1, 2), {})
    with pytest.raises(TypeError):
        method(host(), 1, third=2)


@pytest.mark.parametrize("hook", HOOKS, ids=["around", "after"])
def test_the_host_s_own_error_is_the_one_that_comes_out(hook: Hook | After) -> None:
    error = LookupError("the host's")

    def fails(self: Any) -> None:
        raise error

    with pytest.raises(LookupError) as raised:
        surrounded(hook, fails, ())(host())
    assert raised.value is error


def test_a_hook_that_raises_blows_the_fuse_and_the_host_is_called_once() -> None:
    calls: list[Any] = []

    def raising(*_: Any) -> Any:
        raise ValueError("ours")

    def counted(self: Any) -> int:
        calls.append(self)
        return 7

    for hook in (raising, After(raising)):
        words: list[str] = []
        assert surrounded(hook, counted, ())(host(Fuse(words.append))) == 7
        assert words == ["ValueError: ours"]
    assert len(calls) == 2


def test_an_object_without_a_half_is_left_alone() -> None:
    method: Callable[..., Any] = surrounded(bracket, stock, ())
    assert method(Thing(_kvtrace=None)) == ((), {})
